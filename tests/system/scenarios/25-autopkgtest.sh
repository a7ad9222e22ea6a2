# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The packages' own test that needs a kernel of its own (packaging/debian/tests/mount): the installed helper
# mounts this machine's export over RDMA.
installed
inside "mkdir -p /run/autopkgtest && echo $(base64 -w0 "$system/../../packaging/debian/tests/mount") | base64 -d >/run/autopkgtest/mount"
inside 'cd /run/autopkgtest && AUTOPKGTEST_TMP=/run/autopkgtest sh ./mount'
expect_running
