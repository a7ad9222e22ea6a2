# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The unit tests, and the corpora of the decoders.
# shellcheck shell=bash

meson_tests unit --suite unit --suite fuzz
