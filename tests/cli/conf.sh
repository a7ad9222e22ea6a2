#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# /etc/nfsrdma.conf as it is installed: it changes nothing, has each key with its built-in value, and each of its
# comments that looks like a setting is one.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq

conf=$NFSRDMA_SOURCE/packaging/nfsrdma.conf
root=$work/root
mkdir -p "$root/etc"

# plan: with the file on stdin; what applies to a mount.
plan()
{
	cat >"$root/etc/nfsrdma.conf"
	run plan nas1:/export --root "$root" --dir /srv/vm --format json
	expect_status 0
	jq 'del(.policy[].from)' "$work/out"
}

plan </dev/null >"$work/empty"
plan <"$conf" >"$work/shipped"
diff -u "$work/empty" "$work/shipped" || fail "the file changes something"

# Each key of the parser, with its built-in value, in the section [default].
awk '/^\[default\]/ { inside = 1 } /^#\[/ { inside = 0 } inside && /^#[a-z0-9-]+ =/ { sub(/^#/, ""); print }' "$conf" >"$work/keys"
diff -u <(sed -n '/^const char \*const policy_keys/,/^}/s/.*= "\([a-z0-9-]*\)",/\1/p' "$NFSRDMA_SOURCE/plugin/options/policy.c" | sort) \
	<(sed 's/ =.*//' "$work/keys" | sort) || fail "its keys are not those of the parser"
jq -r '.policy | to_entries[] | "\(.key) = \(.value.value // "")"' "$work/empty" | sed 's/ *$//' | sort >"$work/built-in"
diff -u "$work/built-in" <(sed 's/ *$//' "$work/keys" | sort) || fail "a value is not the built-in one"

# One at a time, then all: each is valid, and the built-in values change nothing.
values='.options, (.policy | map_values(.value // ""))'
while IFS= read -r line; do
	awk -v line="#$line" '$0 == line && !seen++ { sub(/^#/, "") } { print }' "$conf" | plan >"$work/one"
	diff -u <(jq "$values" "$work/empty") <(jq "$values" "$work/one") || fail "\"$line\" is not the default"
done <"$work/keys"
sed -E 's/^#(\[|[a-z0-9-]+ =)/\1/' "$conf" >"$root/etc/nfsrdma.conf"
run plan nas1.example.com:/export/iso --root "$root" --dir /rhev/data-center/mnt/x --format json
expect_status 0
jq -e '.policy | .policy.value == "prefer" and .check.value == "read" and .["options-v3"].value == "nolock"' "$work/out" >"$work/jq" ||
	fail "its examples are not understood: $(cat "$work/out")"
