/* The tables of a SQLite store, as the steps that led there: a new store takes them all, an old one
 * those that it has not taken yet, so that both end with the same tables. A step that was released
 * is never changed; what comes next is a new one at the end. */
#include <stdio.h>

#include "store/sqlite/sqlite_internal.h"

/* 1: computations, devices and samples.
 * A sample's features are one blob of little-endian doubles in declared order, for they are always
 * read whole; entries are rows, so that SQL can ask which variant is best where. */
static const char first_tables[] =
    "CREATE TABLE computations (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " default_variant INTEGER, checksum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE features (computation INTEGER NOT NULL REFERENCES computations ON DELETE CASCADE,"
    " position INTEGER NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL, scale TEXT NOT NULL,"
    " PRIMARY KEY (computation, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE relative_features (computation INTEGER NOT NULL"
    " REFERENCES computations ON DELETE CASCADE, position INTEGER NOT NULL, name TEXT NOT NULL,"
    " unit TEXT NOT NULL, scale TEXT NOT NULL, formula TEXT NOT NULL, replaces TEXT NOT NULL,"
    " PRIMARY KEY (computation, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE variants (computation INTEGER NOT NULL REFERENCES computations ON DELETE CASCADE,"
    " position INTEGER NOT NULL, name TEXT NOT NULL,"
    " PRIMARY KEY (computation, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE devices (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,"
    " checksum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE device_features (device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,"
    " position INTEGER NOT NULL, name TEXT NOT NULL, value REAL NOT NULL, source TEXT NOT NULL,"
    " spread REAL NOT NULL, PRIMARY KEY (device, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE device_labels (device INTEGER NOT NULL REFERENCES devices ON DELETE CASCADE,"
    " position INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,"
    " PRIMARY KEY (device, position)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE samples (id INTEGER PRIMARY KEY,"
    " computation INTEGER NOT NULL REFERENCES computations ON DELETE CASCADE,"
    " device INTEGER NOT NULL REFERENCES devices, input TEXT NOT NULL, features BLOB NOT NULL,"
    " origin TEXT, library TEXT, compiler TEXT, host TEXT, time_s INTEGER NOT NULL,"
    " checksum INTEGER NOT NULL, UNIQUE (computation, device, input)) STRICT;"
    "CREATE TABLE entries (sample INTEGER NOT NULL REFERENCES samples ON DELETE CASCADE,"
    " variant INTEGER NOT NULL, outcome TEXT NOT NULL, median_ms REAL, spread REAL,"
    " prepare_ms REAL, count INTEGER NOT NULL, version TEXT, detail TEXT,"
    " PRIMARY KEY (sample, variant)) STRICT, WITHOUT ROWID;";

/* 2: profiles. A variant's has a computation and an input, a proxy's an intensity; NULLs differ
 * from each other for SQL, so each sort has its own index. */
static const char profiles[] =
    "CREATE TABLE profiles (id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES devices,"
    " computation INTEGER REFERENCES computations ON DELETE CASCADE, name TEXT NOT NULL,"
    " input TEXT, intensity REAL, kernel TEXT NOT NULL, origin TEXT, library TEXT, compiler TEXT,"
    " host TEXT, time_s INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;"
    "CREATE UNIQUE INDEX profiles_of_variants ON profiles (computation, device, name, input, "
    "kernel)"
    " WHERE computation IS NOT NULL;"
    "CREATE UNIQUE INDEX profiles_of_proxies ON profiles (device, name, intensity, kernel)"
    " WHERE computation IS NULL;"
    "CREATE TABLE profile_metrics (profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,"
    " name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (profile, name)) STRICT, WITHOUT ROWID;";

/* 3: more of what made a record. */
static const char provenance[] = "ALTER TABLE samples ADD COLUMN driver TEXT;"
                                 "ALTER TABLE samples ADD COLUMN toolkit TEXT;"
                                 "ALTER TABLE samples ADD COLUMN device_digest TEXT;"
                                 "ALTER TABLE profiles ADD COLUMN driver TEXT;"
                                 "ALTER TABLE profiles ADD COLUMN toolkit TEXT;"
                                 "ALTER TABLE profiles ADD COLUMN device_digest TEXT;";

/* 4: in which state the device was, and its caches. */
static const char device_state[] = "ALTER TABLE samples ADD COLUMN device_state TEXT;"
                                   "ALTER TABLE samples ADD COLUMN cache TEXT;"
                                   "ALTER TABLE profiles ADD COLUMN device_state TEXT;"
                                   "ALTER TABLE profiles ADD COLUMN cache TEXT;";

/* Number i leads from version i to i + 1. */
static const char *const steps[] = {first_tables, profiles, provenance, device_state};
_Static_assert(sizeof(steps) / sizeof(steps[0]) == NITRO_SQLITE_VERSION, "a step a version");

nitro_status nitro_sqlite_upgrade(sqlite_store *store, int64_t version)
{
    char stamp[96];
    nitro_status status = NITRO_OK;
    if (version == NITRO_SQLITE_VERSION)
        return NITRO_OK;
    for (int64_t i = version; i < NITRO_SQLITE_VERSION && status == NITRO_OK; i++)
        status = nitro_sqlite_execute(store, steps[i], "make its tables");
    snprintf(stamp, sizeof(stamp), "PRAGMA application_id = %d; PRAGMA user_version = %d",
             NITRO_SQLITE_APPLICATION_ID, NITRO_SQLITE_VERSION);
    return status == NITRO_OK ? nitro_sqlite_execute(store, stamp, "make its tables") : status;
}
