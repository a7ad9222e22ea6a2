# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# probe --client of this kernel, by siw and rxe.
log_mark
# shellcheck source=../../../testbed/scenarios/91-kernel-client.sh
. "$testbed/scenarios/91-kernel-client.sh"
log_clean
