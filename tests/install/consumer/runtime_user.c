/* runtime_user.c - a program outside the tree that needs libnitro-runtime alone: asks a binary
 * model. Usage: runtime MODEL */
#include <stdio.h>

#include <nitro/nitro.h>

int main(int argc, char **argv)
{
    nitro_context *context = NULL;
    nitro_model *model = NULL;
    nitro_decision decision;
    double features[NITRO_MAX_FEATURES] = {0};

    if (argc != 2 || nitro_context_create(&context) != NITRO_OK)
        return 2;
    nitro_status status = nitro_model_load(context, argv[1], &model);
    if (status == NITRO_OK)
        status = nitro_model_predict(model, features, &decision, NULL, NULL);
    if (status == NITRO_OK) {
        printf("%s\n", decision.variant_name);
    } else {
        char message[1024];
        nitro_context_last_error(context, message, sizeof message);
        fprintf(stderr, "runtime: %s\n", message);
    }
    nitro_model_free(model);
    nitro_context_free(context);
    return status != NITRO_OK;
}
