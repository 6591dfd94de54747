/* SPDX-License-Identifier: MIT */
/*
 * operator - see operator.h.
 */
#include "operator.h"

#include "../../templates/core/wg_compiler.h"

static const char *const tokens[] = {
#define OPERATOR(NAME, name, token, level) token,
#include "operators.def"
};

static const OperatorLevel levels[] = {
#define OPERATOR(NAME, name, token, level) LEVEL_##level,
#include "operators.def"
};

const char *operator_token(Operator operation)
{
    return tokens[operation];
}

OperatorLevel operator_level(Operator operation)
{
    return levels[operation];
}

bool operator_is_condition(Operator operation)
{
    return levels[operation] <= LEVEL_COMPARISON;
}

bool operator_takes_conditions(Operator operation)
{
    return levels[operation] < LEVEL_COMPARISON;
}

bool operator_commutes(Operator operation)
{
    switch (operation) {
    case OPERATOR_SUB:
    case OPERATOR_FLOORDIV:
    case OPERATOR_MOD:
    case OPERATOR_LE:
    case OPERATOR_LT:
        return false;
    case OPERATOR_ADD:
    case OPERATOR_MUL:
    case OPERATOR_MIN:
    case OPERATOR_MAX:
    case OPERATOR_EQ:
    case OPERATOR_NE:
    case OPERATOR_AND:
    case OPERATOR_OR:
    case NUM_OPERATORS:
        break;
    }
    return true;
}

bool operator_may_fail(Operator operation)
{
    return levels[operation] == LEVEL_SUM || levels[operation] == LEVEL_PRODUCT;
}

/* Both follow the sign of the divisor: -7 // 2 is -4 and -7 % 2 is 1, 7 // -2 is -4 and 7 % -2 is -1. */
static bool divide(int64_t a, int64_t b, int64_t *quotient, int64_t *remainder)
{
    const bool representable = b != 0 && !(a == INT64_MIN && b == -1);
    if (representable) {
        const bool rounds_up = a % b != 0 && (a < 0) != (b < 0);
        *quotient = a / b - (rounds_up ? 1 : 0);
        *remainder = a % b + (rounds_up ? b : 0);
    }
    return representable;
}

bool operator_apply(Operator operation, int64_t a, int64_t b, int64_t *result)
{
    int64_t unused = 0;
    switch (operation) {
    case OPERATOR_ADD:
        return !wg_ckd_add(result, a, b);
    case OPERATOR_SUB:
        return !wg_ckd_sub(result, a, b);
    case OPERATOR_MUL:
        return !wg_ckd_mul(result, a, b);
    case OPERATOR_FLOORDIV:
        return divide(a, b, result, &unused);
    case OPERATOR_MOD:
        *result = 0; /* of a division by -1, which may overflow */
        return b == -1 || divide(a, b, &unused, result);
    case OPERATOR_MIN:
        *result = a < b ? a : b;
        return true;
    case OPERATOR_MAX:
        *result = a > b ? a : b;
        return true;
    case OPERATOR_EQ:
        *result = a == b;
        return true;
    case OPERATOR_NE:
        *result = a != b;
        return true;
    case OPERATOR_LE:
        *result = a <= b;
        return true;
    case OPERATOR_LT:
        *result = a < b;
        return true;
    case OPERATOR_AND:
        *result = a != 0 && b != 0;
        return true;
    case OPERATOR_OR:
        *result = a != 0 || b != 0;
        return true;
    case NUM_OPERATORS:
        break;
    }
    return false;
}

bool operator_range(Operator operation, OperatorRange a, OperatorRange b, OperatorRange *result)
{
    const int64_t ends_a[2] = {a.min, a.max};
    const int64_t ends_b[2] = {b.min, b.max};
    if (operator_is_condition(operation)) {
        *result = (OperatorRange){0, 1};
        return true;
    }
    if ((operation == OPERATOR_FLOORDIV || operation == OPERATOR_MOD) && b.min <= 0 && b.max >= 0) {
        return false;
    }
    if (operation == OPERATOR_MOD) { /* has the sign of the divisor, and is smaller */
        *result = b.min > 0 ? (OperatorRange){0, b.max - 1} : (OperatorRange){b.min + 1, 0};
        return true;
    }
    for (uint32_t i = 0; i < 4; i++) { /* each of the others is greatest and least at the ends */
        int64_t end = 0;
        if (!operator_apply(operation, ends_a[i / 2], ends_b[i % 2], &end)) {
            return false;
        }
        result->min = i == 0 || end < result->min ? end : result->min;
        result->max = i == 0 || end > result->max ? end : result->max;
    }
    return true;
}
