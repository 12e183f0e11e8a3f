#!/usr/bin/env bash
# Uses the library without a model, tunes it, and uses it again with the model.
# Usage: test_sparse.sh PROGRAM_DIR
set -euo pipefail
programs=$1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

without=$("$programs/use_sparse" | sort)
[[ $without == $'2 a row: rows\n8 a row: rows' ]] || { echo "FAILED: $without" && exit 1; }
"$programs/tune_sparse" "$work/samples.db" "$work/model.json"
with=$(SPARSE_MODEL=$work/model.json "$programs/use_sparse" | sort)
[[ $with =~ ^2\ a\ row:\ (rows|padded)$'\n'8\ a\ row:\ (rows|padded)$ ]] ||
    { echo "FAILED: $with" && exit 1; }
echo "$with"
