# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# hung.py DIRECTORY: mounts a file system there that never answers, as one whose server is gone does not:
# FUSE, whose daemon reads nothing. Prints the daemon's number; when it ends, who waits gets an error.
# Exit status 1 where there is no FUSE, or nobody may mount.
import ctypes, os, signal, sys

libc = ctypes.CDLL(None, use_errno=True)
try:
    fd = os.open("/dev/fuse", os.O_RDWR)
except OSError as error:
    sys.exit(str(error))
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % fd
if libc.mount(b"nas:/hung", sys.argv[1].encode(), b"fuse", 0, options):
    sys.exit("mount: " + os.strerror(ctypes.get_errno()))
pid = os.fork()
if pid:
    print(pid)
    sys.exit()
for other in (0, 1, 2):
    os.close(other)
signal.pause()
