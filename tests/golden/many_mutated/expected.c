static int32_t demo_step_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* mutation_epilogue: graphs[0].inputs */

    /* inputs[0] p0: float32[4], mutated */
    WgTensor *const late_p0 = args[0].tensor;
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_p0, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_copy_(ctx, late_p0, results[0].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_p0, status);
        goto fail;
    }

    /* inputs[1] p1: tensor[4], mutated */
    WgTensor *const late_p1 = args[1].tensor;
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result_p1, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_restride_like_(ctx, late_p1, results[1].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_restride_p1, status);
        goto fail;
    }
    status = wg_requires_grad(ctx, late_p1) ? wg_copy_leaf_(ctx, late_p1, results[1].tensor) : wg_copy_(ctx, late_p1, results[1].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_p1, status);
        goto fail;
    }

    /* inputs[2] p2: tensor, mutated */
    WgTensor *const late_p2 = args[2].tensor;
    if (results[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result_p2, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_requires_grad(ctx, late_p2) ? wg_copy_leaf_(ctx, late_p2, results[2].tensor) : wg_copy_(ctx, late_p2, results[2].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_p2, status);
        goto fail;
    }

    /* inputs[3] p3: tensor, mutated */
    WgTensor *const late_p3 = args[3].tensor;
    if (results[3].tensor == NULL) {
        status = wg_fail(ctx, &site_result_p3, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_requires_grad(ctx, late_p3) ? wg_copy_leaf_(ctx, late_p3, results[3].tensor) : wg_copy_(ctx, late_p3, results[3].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_p3, status);
        goto fail;
    }

    /* inputs[4] p4: tensor, mutated */
    WgTensor *const late_p4 = args[4].tensor;
    if (results[4].tensor == NULL) {
        status = wg_fail(ctx, &site_result_p4, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_requires_grad(ctx, late_p4) ? wg_copy_leaf_(ctx, late_p4, results[4].tensor) : wg_copy_(ctx, late_p4, results[4].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_p4, status);
        goto fail;
    }

    /* inputs[5] p5: tensor, mutated */
    WgTensor *const late_p5 = args[5].tensor;
    if (results[5].tensor == NULL) {
        status = wg_fail(ctx, &site_result_p5, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_requires_grad(ctx, late_p5) ? wg_copy_leaf_(ctx, late_p5, results[5].tensor) : wg_copy_(ctx, late_p5, results[5].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_p5, status);
        goto fail;
    }

    /* inputs[6] p6: tensor, mutated */
    WgTensor *const late_p6 = args[6].tensor;
    if (results[6].tensor == NULL) {
        status = wg_fail(ctx, &site_result_p6, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_requires_grad(ctx, late_p6) ? wg_copy_leaf_(ctx, late_p6, results[6].tensor) : wg_copy_(ctx, late_p6, results[6].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_p6, status);
        goto fail;
    }

    /* inputs[7] p7: tensor, mutated */
    WgTensor *const late_p7 = args[7].tensor;
    if (results[7].tensor == NULL) {
        status = wg_fail(ctx, &site_result_p7, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_set_(ctx, late_p7, results[7].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_set_p7, status);
        goto fail;
    }

    /* inputs[8] p8: tensor, mutated */
    WgTensor *const late_p8 = args[8].tensor;
    if (results[8].tensor == NULL) {
        status = wg_fail(ctx, &site_result_p8, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    status = wg_requires_grad(ctx, late_p8) ? wg_copy_leaf_(ctx, late_p8, results[8].tensor) : wg_copy_(ctx, late_p8, results[8].tensor);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_copy_p8, status);
        goto fail;
    }


    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] first: tensor, the same tensor as p0 */
    status = wg_retain(ctx, late_p0, &same_first);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_retain_first, status);
        goto fail;
    }

    /* outputs[1] view: tensor, aliases scale */
    status = wg_alias_like(ctx, in_scale, results[10].tensor, 0, &view_view);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_view, status);
        goto fail;
    }

    /* outputs[2] part: tensor, aliases p8 */
    status = wg_alias_like(ctx, late_p8, results[11].tensor, 0, &view_part);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_part, status);
        goto fail;
    }

}

static int32_t demo_marked_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* runtime_wrapper_orchestration: graphs[1] */

    /* inputs[0] p0: tensor, mutated */
    WgTensor *const late_p0 = args[0].tensor;
    status = wg_bump_version(ctx, late_p0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_p0, status);
        goto fail;
    }

    /* inputs[1] p1: tensor, mutated */
    WgTensor *const late_p1 = args[1].tensor;
    status = wg_bump_version(ctx, late_p1);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_p1, status);
        goto fail;
    }

    /* inputs[2] p2: tensor, mutated */
    WgTensor *const late_p2 = args[2].tensor;
    status = wg_bump_version(ctx, late_p2);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_p2, status);
        goto fail;
    }

    /* inputs[3] p3: tensor, mutated */
    WgTensor *const late_p3 = args[3].tensor;
    status = wg_bump_version(ctx, late_p3);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_p3, status);
        goto fail;
    }

    /* inputs[4] p4: tensor, mutated */
    WgTensor *const late_p4 = args[4].tensor;
    status = wg_bump_version(ctx, late_p4);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_p4, status);
        goto fail;
    }

    /* inputs[5] p5: tensor, mutated */
    WgTensor *const late_p5 = args[5].tensor;
    status = wg_bump_version(ctx, late_p5);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_p5, status);
        goto fail;
    }

    /* inputs[6] p6: tensor, mutated */
    WgTensor *const late_p6 = args[6].tensor;
    status = wg_bump_version(ctx, late_p6);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_p6, status);
        goto fail;
    }

    /* inputs[7] p7: tensor, mutated */
    WgTensor *const late_p7 = args[7].tensor;
    status = wg_bump_version(ctx, late_p7);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_p7, status);
        goto fail;
    }

    /* inputs[8] p8: tensor, mutated */
    WgTensor *const late_p8 = args[8].tensor;
    status = wg_bump_version(ctx, late_p8);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_version_p8, status);
        goto fail;
    }

    /* graphs[1] */
    memset(results, 0, 1 * sizeof *results);
    const int grad_mode = wg_grad_mode(ctx);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 0);
    }
    wg_error_clear(ctx);
    num_results = 1;
    status = marked_kernel(ctx, args, 9, results, &num_results);
    if (grad_mode) {
        wg_set_grad_mode(ctx, 1);
    }
    if (status != WG_OK) {
        num_results = 0;
        status = wg_fail_compiled(ctx, &site_compiled, status);
        goto fail;
    }
    if (num_results != 1) {
        status = wg_fail(ctx, &site_outputs, -1, wg_value_integer(1), wg_value_integer((int64_t)num_results));
        goto fail;
    }


    /* output_alias_wrapper: graphs[1].outputs */

    /* outputs[0] again: tensor, the same tensor as p8 */
    status = wg_retain(ctx, late_p8, &same_again);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_retain_again, status);
        goto fail;
    }

}
