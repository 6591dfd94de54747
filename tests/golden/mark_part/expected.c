static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* output_alias_wrapper: graphs[0].outputs */

    /* outputs[0] row: tensor, aliases x */
    if (results[0].tensor == NULL) {
        status = wg_fail(ctx, &site_result_row, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[0].tensor) != 1
        || wg_size(ctx, results[0].tensor, 0) != 6) {
        const int64_t expected[] = { 6 };
        status = wg_fail_shape(ctx, &site_shape_row, results[0].tensor, expected, 1);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 6 };
        static const int64_t strides[] = { 1 };
        static const WgGeometry geometry = {sizes, strides, 6, 1};
        status = wg_alias_as(ctx, in_x, &geometry, wg_dtype(ctx, in_x), 0, &view_row);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_row, status);
        goto fail;
    }
    status = wg_mark_part(ctx, view_row);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_row, status);
        goto fail;
    }

    /* outputs[1] whole: tensor, aliases x */
    if (results[1].tensor == NULL) {
        status = wg_fail(ctx, &site_result_whole, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[1].tensor) != 2
        || wg_size(ctx, results[1].tensor, 0) != 4
        || wg_size(ctx, results[1].tensor, 1) != 6) {
        const int64_t expected[] = { 4, 6 };
        status = wg_fail_shape(ctx, &site_shape_whole, results[1].tensor, expected, 2);
        goto fail;
    }
    status = wg_alias_like(ctx, in_x, in_x, 0, &view_whole);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_whole, status);
        goto fail;
    }
    status = wg_mark_part(ctx, view_whole);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_whole, status);
        goto fail;
    }

    /* outputs[2] turned: tensor, aliases x */
    if (results[2].tensor == NULL) {
        status = wg_fail(ctx, &site_result_turned, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[2].tensor) != 2
        || wg_size(ctx, results[2].tensor, 0) != 5
        || wg_size(ctx, results[2].tensor, 1) != 4) {
        const int64_t expected[] = { 5, 4 };
        status = wg_fail_shape(ctx, &site_shape_turned, results[2].tensor, expected, 2);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 5, 4 };
        static const int64_t strides[] = { 1, 6 };
        static const WgGeometry geometry = {sizes, strides, 1, 2};
        status = wg_alias_as(ctx, in_x, &geometry, wg_dtype(ctx, in_x), 0, &view_turned);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_turned, status);
        goto fail;
    }
    status = wg_mark_part(ctx, view_turned);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_turned, status);
        goto fail;
    }

    /* outputs[3] bits: tensor, aliases x */
    if (results[3].tensor == NULL) {
        status = wg_fail(ctx, &site_result_bits, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[3].tensor) != 2
        || wg_size(ctx, results[3].tensor, 0) != 4
        || wg_size(ctx, results[3].tensor, 1) != 3) {
        const int64_t expected[] = { 4, 3 };
        status = wg_fail_shape(ctx, &site_shape_bits, results[3].tensor, expected, 2);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 4, 3 };
        static const int64_t strides[] = { 6, 1 };
        static const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_as_strided(ctx, in_x, &geometry, &step1_bits);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_bits, status);
        goto fail;
    }
    status = wg_view_dtype(ctx, step1_bits, WG_INT32, &step2_bits);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_bits, status);
        goto fail;
    }
    wg_release(ctx, step1_bits);
    step1_bits = NULL;
    status = wg_patch_requires_grad(ctx, in_x, &step2_bits, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_bits, status);
        goto fail;
    }
    status = wg_mark_part(ctx, step2_bits);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_bits, status);
        goto fail;
    }

    /* outputs[4] detached: tensor, aliases x */
    if (results[4].tensor == NULL) {
        status = wg_fail(ctx, &site_result_detached, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[4].tensor) != 1
        || wg_size(ctx, results[4].tensor, 0) != 6) {
        const int64_t expected[] = { 6 };
        status = wg_fail_shape(ctx, &site_shape_detached, results[4].tensor, expected, 1);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 6 };
        static const int64_t strides[] = { 1 };
        static const WgGeometry geometry = {sizes, strides, 0, 1};
        status = wg_as_strided(ctx, in_x, &geometry, &step1_detached);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_detached, status);
        goto fail;
    }
    status = wg_detach(ctx, step1_detached, &step2_detached);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_detached, status);
        goto fail;
    }
    wg_release(ctx, step1_detached);
    step1_detached = NULL;
    status = wg_patch_requires_grad(ctx, in_x, &step2_detached, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_detached, status);
        goto fail;
    }

    /* outputs[5] part: tensor, aliases x */
    if (results[5].tensor == NULL) {
        status = wg_fail(ctx, &site_result_part, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[5].tensor) != 1
        || wg_size(ctx, results[5].tensor, 0) != 6) {
        const int64_t expected[] = { 6 };
        status = wg_fail_shape(ctx, &site_shape_part, results[5].tensor, expected, 1);
        goto fail;
    }
    status = wg_detach(ctx, in_x, &step1_part);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_part, status);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 6 };
        static const int64_t strides[] = { 1 };
        static const WgGeometry geometry = {sizes, strides, 0, 1};
        status = wg_as_strided(ctx, step1_part, &geometry, &step2_part);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_part, status);
        goto fail;
    }
    wg_release(ctx, step1_part);
    step1_part = NULL;
    status = wg_patch_requires_grad(ctx, in_x, &step2_part, 0);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_grad_part, status);
        goto fail;
    }
    status = wg_mark_part(ctx, step2_part);
    if (status != 0) {
        status = wg_fail_host(ctx, &site_view_part, status);
        goto fail;
    }

    /* outputs[6] narrow: tensor, aliases x */
    if (results[6].tensor == NULL) {
        status = wg_fail(ctx, &site_result_narrow, -1, wg_value_tensor(NULL), wg_value_tensor(NULL));
        goto fail;
    }
    if (wg_rank(ctx, results[6].tensor) != 2
        || wg_size(ctx, results[6].tensor, 0) != 2
        || wg_size(ctx, results[6].tensor, 1) != 6) {
        const int64_t expected[] = { 2, 6 };
        status = wg_fail_shape(ctx, &site_shape_narrow, results[6].tensor, expected, 2);
        goto fail;
    }
    {
        static const int64_t sizes[] = { 2, 6 };
        static const int64_t strides[] = { 6, 1 };
        static const WgGeometry geometry = {sizes, strides, 0, 2};
        status = wg_alias_as(ctx, in_x, &geometry, wg_dtype(ctx, in_x), 0, &view_narrow);
    }
    if (status != 0) {
        status = wg_fail_host(ctx, &site_alias_narrow, status);
        goto fail;
    }

}
