# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# VDSM as a hook sees it, by what its manual and its hooks show from outside, as its user.
#
# vdsm.py HOOKS POINT KIND DATA [NAME=VALUE...]: runs the scripts of one hook point: in the order of
# their names, each with the path of one temporary file (KIND json or domxml; DATA is what is in it
# first) in the environment, through taskset, with nothing on stdin. Prints what came of it as JSON;
# DATA.after is what was in the file.
#
# vdsm.py HOOKS FLOW GUESTS: what VDSM does with these points when it creates, restores, takes over or
# recovers a guest. GUESTS is JSON, a list of {"drives": [...], "xml": ..., "saved": ..., "disk": ...}. Of
# each flow the answer says what a caller of VDSM's sees.
import json, os, stat, subprocess, sys, tempfile, time

# A script that fails makes VDSM's call fail at these; at the others it is logged.
RAISING = {"after_disk_prepare", "before_vm_start", "before_vm_dehibernate",
           "before_vm_migrate_destination", "before_disk_hotplug"}
# Here the words are those of the last script that failed, else of the last that ran.
LAST_FAILED = {"before_vm_start"}

GUEST = "0a0a0a0a-0000-0000-0000-00000000000a"
# oVirt's numbers of vdsm and kvm, whether or not there are such users here.
VDSM, KVM = 36, 36


class HookError(Exception):
    pass


def become_vdsm():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(KVM)
        os.setuid(VDSM)


def environment(kind, path, settings):
    env = dict(os.environ)
    env["vmId"] = GUEST
    env["PYTHONPATH"] = ":/usr/lib/python3/site-packages/vdsm/hook"
    env["_hook_" + kind] = path
    for name, value in settings.items():
        if value == "-":
            env.pop(name, None)
        else:
            env[name] = value
    return env


def run_scripts(hooks, point, env):
    """What each script of a point did; the words with which VDSM's call fails, or None."""
    folder = os.path.join(hooks, point)
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    scripts = [path for path in (os.path.join(folder, name) for name in names)
               if os.path.isfile(path) and os.access(path, os.X_OK)]
    result = {"ran": [], "rc": {}, "err": {}, "ms": {}}
    errors, last = [], b""
    for script in scripts:
        name = os.path.basename(script)
        cpus = "0-%d" % (os.cpu_count() - 1)
        start = time.monotonic()
        process = subprocess.Popen(["taskset", "--cpu-list", cpus, script], env=env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        _, last = process.communicate(timeout=120)
        result["ms"][name] = round((time.monotonic() - start) * 1000, 1)
        result["ran"].append(name)
        result["rc"][name] = process.returncode
        result["err"][name] = last.decode("utf-8", "replace")
        if process.returncode:
            errors.append(last)
        if process.returncode == 2:
            break
    result["raised"] = None
    if errors and point in RAISING:
        words = errors[-1] if point in LAST_FAILED else last
        result["raised"] = words.decode("utf-8", "replace")
    return result


def call(hooks, point, kind, before, settings):
    """One hook point: what came of it, and the data afterwards."""
    fd, path = tempfile.mkstemp(dir=os.environ.get("VDSM_TMP"))
    os.write(fd, before)
    os.close(fd)
    old = os.stat(path)
    result = run_scripts(hooks, point, environment(kind, path, settings))
    with open(path, "rb") as file:
        after = file.read()
    new = os.stat(path)
    result["same"] = after == before
    result["kept"] = ((old.st_mode, old.st_uid, old.st_gid) == (new.st_mode, new.st_uid, new.st_gid)
                      and stat.S_IMODE(new.st_mode) == 0o600)
    result["left"] = sorted(set(os.listdir(os.path.dirname(path))) - {os.path.basename(path)})
    os.unlink(path)
    if kind == "json" and not result["raised"]:
        try:
            json.loads(after.decode("utf-8"))
            result["json"] = True
        except ValueError:
            result["json"] = False
    return result, after


class Host:
    """One VDSM: what it calls, in its order, and what becomes of its guests."""

    def __init__(self, hooks, guests):
        self.hooks, self.guests = hooks, guests
        self.calls = []

    def point(self, name, kind, data, **settings):
        text = json.dumps(data) if kind == "json" else data
        result, after = call(self.hooks, name, kind, text.encode("utf-8"), settings)
        self.calls.append({"point": name, "ran": result["ran"], "rc": result["rc"],
                           "err": result["err"]})
        if result["raised"] is not None:
            raise HookError(result["raised"])
        return json.loads(after) if kind == "json" else after.decode("utf-8")

    def prepare(self, guest, became):
        """Each drive in turn; the extension of thin disks only when all are done."""
        became.update(prepared=0, of=len(guest["drives"]), extends=False)
        for drive in guest["drives"]:
            drive.update(self.point("after_disk_prepare", "json", drive))
            became["prepared"] += 1
        became["extends"] = True

    def down(self, became, error):
        became.update(state="down", words=str(error))

    def create(self, guest, became):
        """With a file of the flags for libvirt, which hooks may change, as long as it starts."""
        flags = os.path.join(os.environ["VDSM_RUN"], GUEST, "launchflags")
        try:
            self.prepare(guest, became)
            os.makedirs(os.path.dirname(flags), exist_ok=True)
            with open(flags, "w", encoding="ascii") as file:
                file.write("0")
            try:
                became["started"] = self.point("before_vm_start", "domxml", guest["xml"])
                became["state"] = "up"
                self.point("after_vm_start", "domxml", guest["xml"])
            finally:
                os.remove(flags)
        except HookError as error:
            self.down(became, error)

    def restore(self, guest, became):
        """What is started is the saved XML, not what the first point gets. The engine has its answer
        before: it takes the memory for used, and keeps none of a guest that does not come up."""
        became["memory"] = "in use"
        try:
            self.prepare(guest, became)
            self.point("before_vm_start", "domxml", guest["xml"])
            self.point("before_vm_dehibernate", "domxml", guest["saved"],
                       FROM_SNAPSHOT=str(guest.get("snapshot", False)))
            became.update(state="up", started=guest["saved"])
        except HookError as error:
            self.down(became, error)
            became["memory"] = "removed"

    def migrate(self, guest, became):
        """The answer that the source gets. Its guest goes on there unless all is well."""
        became["state"] = "up at the source"
        try:
            self.prepare(guest, became)
        except HookError:
            # In a thread of its own: the source hears nothing of it.
            became.update(answer="createErr", waited=30,
                          words="Error creating the requested VM")
            return
        try:
            self.point("before_vm_migrate_destination", "domxml", guest["xml"])
        except HookError as error:
            became.update(answer="hookError", waited=0, words="Destination hook failed: %s" % error)
            return
        became.update(answer="done", waited=0, state="up")

    def hotplug(self, guest, became):
        became["state"] = "up"
        try:
            became["attached"] = self.point("before_disk_hotplug", "domxml", guest["disk"])
        except HookError as error:
            became["words"] = str(error)

    def recover(self, guest, became):
        """The guest runs: whatever fails here is logged, and what was not done stays undone."""
        became["state"] = "up"
        try:
            self.prepare(guest, became)
        except HookError as error:
            became["words"] = str(error)

    def flow(self, name):
        """A restart of VDSM is more than its guests: hence the three around them."""
        if name == "recover":
            self.point("before_vdsm_start", "domxml", "")
            become_vdsm()
        else:
            become_vdsm()
        became = []
        for guest in self.guests:
            became.append({})
            getattr(self, name)(guest, became[-1])
        print(json.dumps({"guests": became, "calls": self.calls}))


def main():
    hooks, name = sys.argv[1:3]
    if len(sys.argv) == 4:
        with open(sys.argv[3], encoding="utf-8") as file:
            guests = json.load(file)
        Host(hooks, guests).flow(name)
        return
    become_vdsm()
    kind, data = sys.argv[3:5]
    with open(data, "rb") as file:
        before = file.read()
    result, after = call(hooks, name, kind, before, dict(each.split("=", 1) for each in sys.argv[5:]))
    with open(data + ".after", "wb") as sink:
        sink.write(after)
    print(json.dumps(result))


main()
