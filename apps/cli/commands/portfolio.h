/* portfolio.h - a few configurations that serve several recorded inputs and devices. */
#ifndef NITRO_APPS_CLI_COMMANDS_PORTFOLIO_H
#define NITRO_APPS_CLI_COMMANDS_PORTFOLIO_H

#include "apps/cli/options.h"

/** Choose at most `most` configurations for the recordings, and print them.
 *  @param[in] space  a description of the space; NULL: the first file's configurations. */
int portfolio_choose(invocation *call, const nitro_string_list *recorded, const char *space,
                     size_t most, bool json);

#endif
