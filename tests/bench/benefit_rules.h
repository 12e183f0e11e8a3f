/* benefit_rules.h - what a programmer would write in place of a model. */
#ifndef NITRO_TESTS_BENCH_BENEFIT_RULES_H
#define NITRO_TESTS_BENCH_BENEFIT_RULES_H

/** The variant that the rule for a computation chooses; NULL: there is no rule for it. */
const char *benefit_rule(const char *computation, const void *argument);

#endif
