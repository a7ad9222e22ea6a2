# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# A whole probe on loopback: a healthy server passes, and a defect is found.
# shellcheck shell=bash

built
"$nfsrdma" probe --embedded --format json >"$work/healthy.json" || fail "exit status $? of a probe of a healthy server"
[[ $(jq -r .verdict "$work/healthy.json") == pass ]] || fail "the verdict is $(jq -r .verdict "$work/healthy.json")"
note "$(jq -r '.findings | "\(map(select(.status == "pass")) | length) passed, \(map(select(.status == "skip")) | length) skipped"' "$work/healthy.json")"

status=0
"$nfsrdma" probe --embedded --fault write-chunk-over-812 --format json >"$work/sick.json" || status=$?
((status == 1)) || fail "exit status $status of a probe of a defective server, expected 1"
[[ $(jq -r '.findings[] | select(.id == "bug.write-chunk-read") | .status' "$work/sick.json") == fail ]] ||
	fail "bug.write-chunk-read was not found"
