# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Machines of tests/hosts, recorded on little-endian ones, are judged as they are there: all of them, by an
# emulator every tenth and those whose IPv4 routes matter.
# shellcheck shell=bash

built
names=''
[[ ! $emulator ]] || names=$(cd "$source/tests/hosts" && {
	find . -mindepth 2 -maxdepth 2 -name host -printf '%h\n' | sort | awk 'NR % 10 == 0'
	printf '%s\n' server-exports-* one-subnet-*
} | sed 's,^\./,,' | sort -u | paste -sd' ')
NFSRDMA=$nfsrdma NFSRDMA_SOURCE=$source NFSRDMA_HOSTS=$names "$source/tests/cli/hosts.sh"
note "$(tail -n 1 "$work/log")"
