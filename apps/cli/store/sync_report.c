/* sync_report.c - copies between stores; store copy, sync and merge differ only in their conflict
 * rule. */
#include "apps/cli/store/sync_report.h"

static void warn_of_damage(void *user, const char *problem)
{
    warn(user, "not copied: %s", problem);
}

static int print_report(const invocation *call, const nitro_copy_report *report, bool json)
{
    int code = report->damaged > 0 ? EXIT_FAILED : EXIT_DONE;
    if (json) {
        int printed =
            print_json(call, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "copied",
                                       (json_int_t)report->samples, "replaced",
                                       (json_int_t)report->samples_replaced, "skipped",
                                       (json_int_t)report->samples_skipped, "differing",
                                       (json_int_t)report->samples_differing, "profiles_copied",
                                       (json_int_t)report->profiles, "profiles_skipped",
                                       (json_int_t)report->profiles_skipped, "damaged",
                                       (json_int_t)report->damaged));
        return printed == EXIT_DONE ? code : printed;
    }
    printf("%zu sample%s copied, %zu already present", report->samples, plural(report->samples),
           report->samples_skipped);
    if (report->samples_differing > 0)
        printf(" (%zu of them with different values, which were kept)", report->samples_differing);
    printf("\n");
    if (report->samples_replaced > 0)
        printf("%zu sample%s replaced by newer ones\n", report->samples_replaced,
               plural(report->samples_replaced));
    if (report->profiles + report->profiles_skipped > 0)
        printf("%zu profile%s copied, %zu already present\n", report->profiles,
               plural(report->profiles), report->profiles_skipped);
    if (report->damaged > 0)
        fail_text(call, "damaged records that were not copied: %zu", report->damaged);
    return code;
}

int sync_stores(invocation *call, nitro_sync_options options, bool json)
{
    nitro_store *from = NULL, *to = NULL;
    nitro_copy_report report = {0};
    progress_line progress;
    options.damaged = warn_of_damage;
    options.user = (void *)(uintptr_t)call;
    nitro_status status =
        nitro_store_open(call->context, call->arguments.items[0], NITRO_STORE_READ, &from);
    if (status == NITRO_OK)
        status = nitro_store_open(call->context, call->arguments.items[1], NITRO_STORE_WRITE, &to);
    progress_begin_waiting(&progress, call, "copy samples", NULL);
    if (status == NITRO_OK)
        status = nitro_store_sync(from, to, &options, &report);
    progress_end(&progress);
    int code = exit_code(call, status);
    if (code == EXIT_DONE)
        code = print_report(call, &report, json);
    else if (report.samples + report.samples_replaced > 0)
        fail_text(call, "samples that were copied: %zu%s", report.samples + report.samples_replaced,
                  status == NITRO_ERR_MISMATCH ? "" : "; run the same command to resume");
    nitro_store_close(to);
    nitro_store_close(from);
    return code;
}
