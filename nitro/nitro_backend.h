/*
 * nitro_backend.h - what implementers of plug-ins see: stores, device kinds, device-feature
 * selection, strategies, and the tools on top (the command line). The rules of runtime.h hold here
 * too.
 *
 * A plug-in is a const struct: name, one-line description, priority, functions. Each family has one
 * list file (nitro/lists/FAMILY.list) that nitro/builtins.c reads; adding a plug-in is one file and
 * one line there. A plug-in that a build lacks stays in its list as a stub that names the option
 * that enables it.
 *
 * Its parts are in nitro/backend/, one for each family or subject; include this header rather than
 * them. Not part of it are explain.h, study.h and statistics.h there, for tools that print
 * explanations and reports.
 */
#ifndef NITRO_NITRO_BACKEND_H
#define NITRO_NITRO_BACKEND_H

#include "nitro/backend/basics.h"
#include "nitro/backend/csv.h"
#include "nitro/backend/devices.h"
#include "nitro/backend/evaluating.h"
#include "nitro/backend/exchange.h"
#include "nitro/backend/learning.h"
#include "nitro/backend/measuring.h"
#include "nitro/backend/model_places.h"
#include "nitro/backend/plugins.h"
#include "nitro/backend/profiling.h"
#include "nitro/backend/proxies.h"
#include "nitro/backend/record_codec.h"
#include "nitro/backend/records.h"
#include "nitro/backend/searches.h"
#include "nitro/backend/settings.h"
#include "nitro/backend/spaces.h"
#include "nitro/backend/store_support.h"
#include "nitro/backend/stores.h"

#endif
