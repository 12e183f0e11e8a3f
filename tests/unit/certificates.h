/* certificates.h - certificates for one test, made by openssl in a folder. */
#ifndef NITRO_TESTS_UNIT_CERTIFICATES_H
#define NITRO_TESTS_UNIT_CERTIFICATES_H

#include "unit/temporary.h"

static inline bool certificates_possible(void)
{
    bool possible = system("command -v openssl >/dev/null 2>&1") == 0;
    if (!possible)
        print_message("SKIPPED: no openssl here (apt-get install openssl)\n");
    return possible;
}

static inline void certificates_run(const temporary *folder, const char *format, const char *name,
                                    int days)
{
    char command[1024], line[512];
    snprintf(line, sizeof(line), format, name, name, name, name, days);
    snprintf(command, sizeof(command), "cd %s && (%s) >log 2>&1", folder->folder, line);
    if (system(command) != 0)
        fail_msg("this fails: %s", line);
}

/* NAME.pem and NAME.key: an authority, a certificate that its own key signs. */
static inline void certificates_make_authority(const temporary *folder, const char *name)
{
    certificates_run(folder,
                     "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
                     "-subj /CN=%s -keyout %s.key -out %s.pem",
                     name, 0);
}

/* NAME.pem and NAME.key, signed by authority `ca` for the host name localhost alone.
 * @param[in] days  of validity; 0: it has expired. */
static inline void certificates_make(const temporary *folder, const char *name, int days)
{
    certificates_run(folder,
                     "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=%s "
                     "-keyout %s.key -out %s.csr && echo subjectAltName=DNS:localhost >names",
                     name, 0);
    certificates_run(folder,
                     "openssl x509 -req -in %s.csr -out %s.pem -CA ca.pem -CAkey ca.key "
                     "-CAcreateserial -extfile names%.0s%.0s -days %d",
                     name, days);
}

#endif
