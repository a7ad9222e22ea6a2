/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a snapshot keeps of a file. */
#include "plugin/snapshot/internal.h"
#include "suite.h"

static void expect_by(const char *path, const char *by, const char *text, const char *want)
{
	struct host_text copy = { strdup(text), strlen(text) };
	SUITE_ROW("%s", path);

	CU_ASSERT_EQUAL(secrets_strip(path, path, by, &copy), 0);
	CU_ASSERT_STRING_EQUAL(copy.text, want);
	CU_ASSERT_EQUAL(copy.len, strlen(want));
	free(copy.text);
}

static void expect(const char *path, const char *text, const char *want)
{
	expect_by(path, NULL, text, want);
}

static void only_nfs_lines_of_fstab_are_kept(void)
{
	expect("etc/fstab",
	       "# password=hunter2\n"
	       "UUID=1 / ext4 defaults 0 1\n"
	       "//srv/share /mnt cifs username=u,password=hunter2 0 0\n"
	       "nas:/a\t/a nfs rdma,port=20049 0 0\n"
	       "  nas:/b /b nfs4 proto=rdma,token=hunter2,x-my.hunter2,vesr=4.2 # hunter2\n"
	       "#nas:/c /c nfs password\n"
	       "short line\n"
	       "nas:/d /d nfs",
	       "\n\n\n"
	       "nas:/a /a nfs rdma,port=20049 0 0\n"
	       "nas:/b /b nfs4 proto=rdma,xxxx=xxxx,xxxxxxxxxxxxxxxx,vesr=4.2 xxxx xxxx\n"
	       "\n\n"
	       "nas:/d /d nfs");
	expect("etc/fstab", "", "");
}

static void only_nfs_storages_of_proxmox_are_kept(void)
{
	expect("etc/pve/storage.cfg",
	       "cifs: share\n"
	       "\tusername u\n"
	       "\tuser_password hunter2\n"
	       "\n"
	       "nfs: vm\n"
	       "\tnote hunter2\n"
	       "\tserver nas\n"
	       "\texport /vm\n"
	       "\tnodes pve1,pve2\n"
	       "\toptions vers=4.2,proto=rdma,password=hunter2\n",
	       "\n\n\n\n"
	       "nfs: vm\n"
	       "\n"
	       "\tserver nas\n"
	       "\texport /vm\n"
	       "\tnodes pve1,pve2\n"
	       "\toptions vers=4.2,proto=rdma,xxxx=xxxx\n");
}

static void a_mount_unit_keeps_what_it_mounts(void)
{
	expect("etc/systemd/system/srv-vm.mount",
	       "[Unit]\nDescription=hunter2\nBefore=remote-fs.target libvirtd.service\n"
	       "[Mount]\nWhat=[2001:db8::1]:/vm\nWhere=/srv/vm\nType=nfs\n"
	       "Options=proto=rdma,port=20049,password=hunter2\n",
	       "[Unit]\nxxxxxxxxxxxxxxxx=xxxx\nBefore=remote-fs.target libvirtd.service\n"
	       "[Mount]\nWhat=[2001:db8::1]:/vm\nWhere=/srv/vm\nType=nfs\n"
	       "Options=proto=rdma,port=20049,xxxx=xxxx\n");
	expect("etc/systemd/system/mnt.mount.d/a.conf",
	       "[Mount]\nWhat=//u:hunter2@srv/x\nEnvironment=hunter2\n",
	       "[Mount]\nWhat=xxxxxxxxxxxxxxxx\nxxxxxxxxxxxxxxxx=xxxx\n");
}

static void mounts_of_disks_stay_and_others_are_ids(void)
{
	expect("proc/4711/mountinfo",
	       "22 1 8:1 / / rw - ext4 /dev/sda1 rw,errors=secret\n"
	       "23 22 8:1 / /cut rw - ext4 /dev\n"
	       "40 22 0:50 / /secret rw - cifs //srv/x rw,username=u\n"
	       "41 40 0:51 / /nas rw - nfs4 nas:/x rw,proto=rdma\n"
	       "nonsense\n",
	       "22 1 8:1 / / rw - ext4 /dev/sda1\n"
	       "23 22\n"
	       "40 22\n"
	       "41 40 0:51 / /nas rw - nfs4 nas:/x rw,proto=rdma\n");
	expect("proc/self/mountstats",
	       "device proc mounted on /proc with fstype proc\n"
	       "device nas:/x mounted on /nas with fstype nfs4 statvers=1.1\n"
	       "\topts:\trw\n"
	       "device //srv/x mounted on /secret with fstype cifs\n"
	       "\tanything\n",
	       "device nas:/x mounted on /nas with fstype nfs4 statvers=1.1\n"
	       "\topts:\trw\n");
	expect("run/mount/utab",
	       "SRC=//srv/x TARGET=/mnt ROOT=/ ATTRS=password=hunter2\n"
	       "SRC=nas:/x TARGET=/nas ROOT=/ ATTRS=rdma,secret=hunter2 OPTS=hunter2\n",
	       "SRC=nas:/x TARGET=/nas ATTRS=rdma,xxxx=xxxx\n");
	expect("run/mount/utab",
	       "TARGET=/a:/b SRC=nas:/x ROOT=/ ATTRS=rdma\n"
	       "ATTRS=:/ SRC=//srv/x TARGET=/mnt\n"
	       "TARGET=:/ SRC=",
	       "SRC=nas:/x TARGET=/a:/b ATTRS=rdma\n");
}

static void the_kernel_command_line_keeps_known_values(void)
{
	expect("proc/cmdline",
	       "ro module_blacklist=rpcrdma netroot=iscsi:u:pw@192.0.2.1::3260 "
	       "modprobe.blacklist=a,b hunter2\n",
	       "xxxx module_blacklist=rpcrdma xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx "
	       "modprobe.blacklist=a,b xxxx\n");
	expect("proc/cmdline", "modprobe.blacklist2=PW", "xxxxxxxxxxxxxxxx");
}

static void kernel_command_line_quotes_are_parsed_like_the_kernel(void)
{
	expect("proc/cmdline", "a=\"hunter2 PW\" b=x\" PW\"PW ro\n",
	       "xxxxxxxxxxxxxxxx xxxxxxxxxxxxxxxx xxxx\n");
	expect("proc/cmdline", "\"a=hunter2 PW\" module_blacklist=a,b ro",
	       "xxxxxxxxxxxxxxxx module_blacklist=a,b xxxx");
	expect("proc/cmdline", "ro a=\"hunter2 PW PW\n", "xxxx xxxxxxxxxxxxxxxx\n");
}

static void only_ports_and_priorities_of_the_fabric_are_kept(void)
{
	expect("etc/opensm/opensm.conf",
	       "# The M_Key of all ports\n"
	       "m_key 0x1234567890abcdef\n"
	       "sm_priority 15\n"
	       "guid 0x0002c90300001234\n",
	       "\n"
	       "xxxx xxxxxxxxxxxxxxxx\n"
	       "sm_priority 15\n"
	       "guid 0x0002c90300001234\n");
	expect("etc/opensm/partitions.conf",
	       "# hunter2\nDefault=0x7fff, rate=3, hunter2=1, ipoib : ALL=full, hunter2;\n",
	       "Default=0x7fff, rate=3, xxxx=1, ipoib : ;\n");
}

static void of_units_only_what_starts_the_server_is_kept(void)
{
	expect("usr/lib/systemd/system/nfs-server.service.d/a.conf",
	       "[Service]\n"
	       "Environment=PASSWORD=hunter2 \\\n"
	       "  MORE=hunter3\n"
	       "ExecStart=/usr/sbin/rpc.nfsd --rdma=20049 --token hunter2 $RPCNFSDARGS\n"
	       "[Install]\n"
	       "ExecStart=hunter2\n",
	       "[Service]\n"
	       "xxxxxxxxxxxxxxxx=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\\\n"
	       "\n"
	       "ExecStart=rpc.nfsd --rdma=20049 xxxx xxxx $RPCNFSDARGS\n"
	       "[xxxx]\n"
	       "xxxxxxxxxxxxxxxx=xxxx\n");
}

static void only_interfaces_of_network_files_are_kept(void)
{
	expect("etc/netplan/50-cloud-init.yaml",
	       "network:\n"
	       "  wifis:\n"
	       "    wlan0:\n"
	       "          password: hunter2\n"
	       "  ethernets: \n"
	       "    enp5s0:\n"
	       "      auth: {key-management: 802.1x, password: \"hunter2:\"}\n",
	       "  ethernets:\n");
	expect("etc/network/interfaces",
	       "# hunter2\n"
	       "auto ens1\n"
	       "iface ens1 inet static\n"
	       "  iface wlan0 inet dhcp\n"
	       "\twpa-psk hunter2\n",
	       "iface ens1\n"
	       "iface wlan0\n");
	expect("etc/network/interfaces.d/wlan0", "wpa-psk hunter2\n", "");
}

static void settings_keep_what_a_check_reads(void)
{
	expect("etc/nfs.conf",
	       "# hunter2\n[nfsd]\nrdma = y # hunter2\ntoken = \"hunter2\"\nrdma-port=20049\\\n\n"
	       "[hunter2 \"hunter2\"]\nrdma=hunter2\nhunter2\nx=\"hunter2\n",
	       "\n[nfsd]\nrdma =y\nxxxx =\"xxxx\"\nrdma-port=20049\\\n\n"
	       "[xxxx]\nxxxx=xxxx\nxxxx\nxxxx=\"xxxx\n");
	expect("etc/nfsmount.conf",
	       "[ Server \"nas\" ]\nProto=rdma\nretrans=hunter2\nhunter2=1\n"
	       "[Server \"[::1]\"]\nPort=1",
	       "[Server \"nas\"]\nProto=rdma\nretrans=xxxx\nxxxx=xxxx\n"
	       "[Server \"[::1]\nPort=1");
	expect("etc/nfsrdma.conf",
	       "[export nas[12]:/a]\npolicy = require\npassword = hunter2\n"
	       "options = timeo=600,password=hunter2\n",
	       "[export nas[12]:/a]\npolicy =require\nxxxx =xxxx\n"
	       "options =timeo=600,xxxx=xxxx\n");
	expect("etc/vdsm/vdsm.conf",
	       "[irs]\nrepository: /a/b\nhunter2: x\n[addresses]\nrepository=/c\n",
	       "[irs]\nrepository:/a/b\nxxxx:xxxx\n[xxxxxxxxxxxxxxxx]\nxxxxxxxxxxxxxxxx=xxxx\n");
	expect("etc/default/nfs-kernel-server",
	       "RPCNFSDCOUNT=\"8 --rdma=20049 hunter2\"\nNEED_SVCGSSD=hunter2\n",
	       "RPCNFSDCOUNT=\"8 --rdma=20049 xxxx\"\nxxxxxxxxxxxxxxxx=xxxx\n");
	expect("etc/modprobe.d/a.conf",
	       "# hunter2\nblacklist a\noptions cifs password=hunter2\n"
	       "install b /bin/false hunter2\ninstall c sh -c hunter2\n",
	       "\nblacklist a\n\ninstall b false\ninstall c xxxx\n");
	expect("etc/udev/rules.d/1.rules",
	       "ATTR{address}==\"00:11*\", NAME=\"hunter2\", RUN+=\"/x --token hunter2\"\n",
	       "ATTR{address}==\"00:11*\", NAME=\"xxxx\", \n");
}

static void ganesha_keeps_one_block(void)
{
	expect("etc/ganesha/ganesha.conf",
	       "# hunter2\nNFS_CORE_PARAM { Protocols = 3, NFSRDMA; Secret = hunter2; }\n"
	       "RGW {\n secret_access_key = \"hunter2\";\n Access_Key_Id = hunter2;\n}\n"
	       "%include \"s3.conf\"\n%url http://u:hunter2@h/\n",
	       "\n NFS_CORE_PARAM{ Protocols= 3, NFSRDMA; xxxx= xxxx;}\n"
	       " xxxx{\n\n\n}\n"
	       " %include \"s3.conf\"\n %url xxxxxxxxxxxxxxxx\n");
	/* An included file has any name. */
	expect_by("srv/s3", "etc/ganesha/ganesha.conf", "RGW { Secret_Access_Key = hunter2; }",
		  " xxxx{}");
}

static void a_pool_keeps_its_facts(void)
{
	expect("etc/libvirt/storage/vm.xml",
	       "<!-- hunter2 -->\n<pool type='netfs' xmlns:fs='http://libvirt.org/schemas/"
	       "storagepool/fs/1.0'><name>vm</name><source><host name='nas'/><dir path='/a'/>"
	       "<auth type='ceph' username='hunter2'><secret usage='hunter2'/></auth></source>"
	       "<target><path>/vm</path></target><fs:mount_opts><fs:option name='proto=rdma'/>"
	       "<fs:option name='password=hunter2'/></fs:mount_opts></pool>",
	       "<pool xmlns:fs=\"http://libvirt.org/schemas/storagepool/fs/1.0\" type=\"netfs\">\n"
	       "  <name>vm</name>\n"
	       "  <source>\n"
	       "    <host name=\"nas\"/>\n"
	       "    <dir path=\"/a\"/>\n"
	       "    <auth/>\n"
	       "  </source>\n"
	       "  <target>\n"
	       "    <path>/vm</path>\n"
	       "  </target>\n"
	       "  <fs:mount_opts>\n"
	       "    <fs:option name=\"proto=rdma\"/>\n"
	       "    <fs:option name=\"xxxx=xxxx\"/>\n"
	       "  </fs:mount_opts>\n"
	       "</pool>\n");
}

/* Also a file of the kernel's, if it is only a link there. */
static void nothing_is_kept_of_other_files(void)
{
	static const struct {
		const char *real, *path;
	} rows[] = {
		{ "etc/fstab.d/x", "etc/fstab.d/x" },
		{ "srv/secret", "sys/class/net/eth0/mtu" },
		{ "srv/secret", ".nfsrdma/nft.json" },
		{ "etc/libvirt/storage/bad.xml", "etc/libvirt/storage/bad.xml" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host_text copy = { strdup("hunter2"), 7 };

		SUITE_ROW("%s", rows[i].path);
		CU_ASSERT_EQUAL(secrets_strip(rows[i].real, rows[i].path, NULL, &copy), -EBADMSG);
		host_text_fini(&copy);
	}
	CU_ASSERT_TRUE(secrets_is_kept_whole("usr/lib/modules/6.1/modules.dep.bin"));
	CU_ASSERT_FALSE(secrets_is_kept_whole("root/modules.dep.bin"));
	CU_ASSERT_FALSE(secrets_is_kept_whole("etc/nfs.conf"));
}

static void text_ends_at_a_nul(void)
{
	struct host_text copy = { malloc(9), 8 };

	memcpy(copy.text, "a\0secret", 9);
	CU_ASSERT_EQUAL(secrets_strip("etc/fstab", "etc/fstab", NULL, &copy), 0);
	CU_ASSERT_EQUAL(copy.len, 1);
	CU_ASSERT_STRING_EQUAL(copy.text, "");
	free(copy.text);
}

static void files_of_keys_are_known_by_name(void)
{
	static const char *const secret[] = { "etc/shadow",
					      "etc/krb5.keytab",
					      "etc/ssl/private/a",
					      "root/.ssh/id_ed25519",
					      "etc/ssh/ssh_host_rsa_key",
					      "etc/pki/a.key",
					      "etc/NetworkManager/system-connections/wifi" };
	static const char *const open_ones[] = { "etc/nfs.conf", "proc/cmdline",
						 "sys/class/infiniband/mlx5_0/ports/1/pkeys/0",
						 "etc/rdma/partitions.conf", "var/lib/nfs/etab" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(secret); i++) {
		SUITE_ROW("%zu: %s", i, secret[i]);
		CU_ASSERT_TRUE(secrets_is_secret(secret[i]));
	}
	for (i = 0; i < ARRAY_SIZE(open_ones); i++) {
		SUITE_ROW("%zu: %s", i, open_ones[i]);
		CU_ASSERT_FALSE(secrets_is_secret(open_ones[i]));
	}
}

SUITE_MAIN("secrets", TEST(only_nfs_lines_of_fstab_are_kept),
	   TEST(only_nfs_storages_of_proxmox_are_kept), TEST(a_mount_unit_keeps_what_it_mounts),
	   TEST(mounts_of_disks_stay_and_others_are_ids),
	   TEST(the_kernel_command_line_keeps_known_values),
	   TEST(kernel_command_line_quotes_are_parsed_like_the_kernel),
	   TEST(only_ports_and_priorities_of_the_fabric_are_kept),
	   TEST(of_units_only_what_starts_the_server_is_kept),
	   TEST(only_interfaces_of_network_files_are_kept), TEST(settings_keep_what_a_check_reads),
	   TEST(ganesha_keeps_one_block), TEST(a_pool_keeps_its_facts),
	   TEST(nothing_is_kept_of_other_files), TEST(text_ends_at_a_nul),
	   TEST(files_of_keys_are_known_by_name))
