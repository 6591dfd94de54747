static int32_t demo_block_core(WgContext *ctx, const WgValue *args, WgValue *outs)

    /* effect_tokens_wrapper: graphs[0] */
    call_args[0].pointer = NULL;

}
