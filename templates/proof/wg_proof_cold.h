/* SPDX-License-Identifier: 0BSD */
/* clang-format off */
/*
 * wg_proof_cold.h - the errors of wg_cold.c; see wg_proof.h. Each reads all that the real function may read, writes what it
 * writes but the record of the error, which wrappers do not look at, and returns any code that it may return. A driver of
 * tests/prove/core calls the real ones.
 */
#ifndef WG_PROOF_COLD_H
#define WG_PROOF_COLD_H

/*@ requires valid_read_string(text);
  @ assigns \nothing; */
void wg_proof_text_of(const char *text);

/*@ requires \valid_read(site) && \initialized(site);
  @ requires site->graph == \null || valid_read_string(site->graph);
  @ requires site->argument == \null || valid_read_string(site->argument);
  @ requires site->rule == \null || valid_read_string(site->rule);
  @ assigns \nothing; */
void wg_proof_site(const WgSite *site);

/*@ requires num_facts == 0 || \valid_read(facts + (0 .. num_facts - 1));
  @ requires num_facts == 0 || \initialized(facts + (0 .. num_facts - 1));
  @ assigns \nothing; */
void wg_proof_facts(const WgFact *facts, size_t num_facts);

/* Any WgStatus but WG_OK. */
/*@ assigns \result \from \nothing;
  @ ensures WG_E_NULL <= \result <= WG_E_INTERNAL; */
int32_t wg_proof_code(void);

/*@ requires \valid(ctx); */
int32_t wg_fail(WgContext *ctx, const WgSite *site, int32_t dimension, WgValue expected, WgValue found)
{
    (void)ctx, (void)dimension, (void)expected, (void)found;
    wg_proof_site(site);
    return site->code;
}

/*@ requires \valid(ctx); */
int32_t wg_fail_host(WgContext *ctx, const WgSite *site, int32_t status)
{
    (void)ctx, (void)status;
    wg_proof_site(site);
    return WG_E_HOST;
}

/* The code of a nested wrapper's error is any but 0. */
/*@ requires \valid(ctx); */
int32_t wg_fail_compiled(WgContext *ctx, const WgSite *site, int32_t status)
{
    (void)ctx, (void)status;
    wg_proof_site(site);
    return wg_proof_may() ? wg_proof_failure() : site->code;
}

/*@ requires \valid(ctx) && (tensor == \null || \valid_read(tensor)); */
int32_t wg_fail_tensor(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgFact *facts, size_t num_facts)
{
    (void)ctx, (void)tensor;
    wg_proof_site(site);
    wg_proof_facts(facts, num_facts);
    return wg_proof_code();
}

/*@ requires \valid(ctx) && (tensor == \null || \valid_read(tensor)) && type != \null; */
int32_t wg_fail_type(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgType *type)
{
    (void)ctx, (void)tensor, (void)type;
    wg_proof_site(site);
    return wg_proof_code();
}

/* A tensor that is as stated has the rank that is stated. */
/*@ requires \valid(ctx) && \valid_read(tensor); */
int32_t wg_check_stated(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgFact *facts, size_t num_facts)
{
    (void)ctx;
    wg_proof_site(site);
    wg_proof_facts(facts, num_facts);
    for (size_t i = 0; i < num_facts; i++) {
        if (facts[i].rule == WG_RULE_RANK && tensor->rank != facts[i].expected) {
            return WG_E_RESULT;
        }
    }
    return wg_proof_may() ? WG_OK : WG_E_RESULT;
}

/*@ requires \valid(ctx) && (tensor == \null || \valid_read(tensor)); */
int32_t wg_check_returned(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const WgFact *facts, size_t num_facts)
{
    if (tensor == NULL) {
        wg_proof_site(site);
        return site->code;
    }
    return wg_check_stated(ctx, site, tensor, facts, num_facts);
}

/*@ requires \valid(ctx) && \valid_read(tensor);
  @ requires rank == 0 || \valid_read(sizes + (0 .. rank - 1));
  @ requires rank == 0 || \initialized(sizes + (0 .. rank - 1)); */
int32_t wg_fail_shape(WgContext *ctx, const WgSite *site, const WgTensor *tensor, const int64_t *sizes, int32_t rank)
{
    (void)ctx, (void)tensor, (void)sizes, (void)rank;
    wg_proof_site(site);
    return wg_proof_may() ? site->code : WG_E_INTERNAL;
}

/*@ requires \valid(ctx); */
int32_t wg_fail_guard(WgContext *ctx, const WgSite *site, const char *symbols, size_t num_values, ...)
{
    int64_t sum = 0;
    va_list values;
    va_start(values, num_values);
    for (size_t i = 0; i < num_values; i++) {
        sum |= va_arg(values, int64_t); /* each is there and has a value */
    }
    va_end(values);
    (void)ctx, (void)sum;
    wg_proof_site(site);
    wg_proof_text_of(symbols);
    return site->code;
}

/*@ requires \valid(ctx) && \valid_read(argument); */
int32_t wg_fail_argument(WgContext *ctx, const WgSite *site, const char *name, WgTensor *argument)
{
    (void)ctx, (void)argument;
    wg_proof_site(site);
    wg_proof_text_of(name);
    return site->code;
}

/*@ requires \valid(ctx); */
int32_t wg_fail_null(WgContext *ctx, const char *graph, void *out, size_t size)
{
    (void)ctx;
    wg_proof_text_of(graph);
    if (out != NULL) {
        memset(out, 0, size);
    }
    return WG_E_NULL;
}

/*@ requires \valid(ctx); */
int32_t wg_fail_boxed(WgContext *ctx, const char *graph, const WgValue *args, size_t num_args, size_t expected_args,
                      WgValue *outs, size_t num_outs, size_t expected_outs)
{
    const int is_null = (args == NULL && num_args != 0) || (outs == NULL && num_outs != 0);
    (void)ctx;
    wg_proof_text_of(graph);
    if (outs != NULL) {
        memset(outs, 0, num_outs * sizeof *outs);
    }
    return is_null || (num_args == expected_args && num_outs == expected_outs) ? WG_E_NULL : WG_E_COUNT;
}

/*@ requires \valid(ctx);
  @ requires num_names == 0 || \valid_read(names + (0 .. num_names - 1));
  @ requires num_names == 0 || \valid_read(own + (0 .. num_names - 1)); */
void wg_fail_as(WgContext *ctx, const char *const *names, const char *const *own, size_t num_names)
{
    (void)ctx;
    for (size_t i = 0; i < num_names; i++) {
        wg_proof_text_of(names[i]);
        wg_proof_text_of(own[i]);
    }
}

/*@ requires \valid(ctx); */
void wg_fail_in(WgContext *ctx, const char *graph)
{
    (void)ctx;
    wg_proof_text_of(graph);
}

/*@ requires \valid(ctx); */
void wg_error_clear(WgContext *ctx)
{
    (void)ctx;
}

#endif /* WG_PROOF_COLD_H */
