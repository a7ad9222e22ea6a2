/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a snapshot omits. */
#include "plugin/snapshot/internal.h"
#include "suite.h"

static void expect(const char *path, const char *text, const char *want)
{
	struct host_text copy = { strdup(text), strlen(text) };
	SUITE_ROW("%s", path);

	secrets_strip(path, &copy);
	CU_ASSERT_STRING_EQUAL(copy.text, want);
	CU_ASSERT_EQUAL(copy.len, strlen(want));
	free(copy.text);
}

static void only_nfs_lines_of_fstab_are_kept(void)
{
	expect("etc/fstab",
	       "# password=hunter2\n"
	       "UUID=1 / ext4 defaults 0 1\n"
	       "//srv/share /mnt cifs username=u,password=hunter2 0 0\n"
	       "nas:/a\t/a nfs rdma,port=20049 0 0\n"
	       "  nas:/b /b nfs4 proto=rdma\n"
	       "#nas:/c /c nfs password\n"
	       "short line\n"
	       "nas:/d /d nfs",
	       "\n\n\n"
	       "nas:/a\t/a nfs rdma,port=20049 0 0\n"
	       "  nas:/b /b nfs4 proto=rdma\n"
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
	       "\toptions vers=4.2,proto=rdma\n",
	       "\n\n\n\n"
	       "nfs: vm\n"
	       "\toptions vers=4.2,proto=rdma\n");
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
	       "\n"
	       "device //srv/x mounted on /secret with fstype cifs\n"
	       "\tanything\n",
	       "device nas:/x mounted on /nas with fstype nfs4 statvers=1.1\n"
	       "\topts:\trw\n"
	       "\n");
	expect("run/mount/utab",
	       "SRC=//srv/x TARGET=/mnt ROOT=/ ATTRS=password=hunter2\n"
	       "SRC=nas:/x TARGET=/nas ROOT=/ ATTRS=rdma\n",
	       "SRC=nas:/x TARGET=/nas ROOT=/ ATTRS=rdma\n");
	expect("run/mount/utab",
	       "TARGET=/a:/b SRC=nas:/x ROOT=/ ATTRS=rdma\n"
	       "ATTRS=:/ SRC=//srv/x TARGET=/mnt\n"
	       "TARGET=:/ SRC=",
	       "TARGET=/a:/b SRC=nas:/x ROOT=/ ATTRS=rdma\n");
}

static void the_kernel_command_line_keeps_known_values(void)
{
	expect("proc/cmdline",
	       "BOOT_IMAGE=/boot/vmlinuz ro module_blacklist=rpcrdma "
	       "netroot=iscsi:u:pw@192.0.2.1::3260 modprobe.blacklist=a,b quiet\n",
	       "BOOT_IMAGE= ro module_blacklist=rpcrdma netroot= "
	       "modprobe.blacklist=a,b quiet\n");
	expect("proc/cmdline",
	       "root=cifs://bob:PW@nas/x inst.ks=http://u:PW@h/ks proxy=http://u:PW@h:3128 "
	       "cifsroot=//nas/x,username=bob,password=PW modprobe.blacklist2=PW",
	       "root= inst.ks= proxy= cifsroot= modprobe.blacklist2=");
	/* No value, but still a URL. */
	expect("proc/cmdline", "ro -- init http://u:PW@h", "ro -- init http");
}

static void kernel_command_line_quotes_are_parsed_like_the_kernel(void)
{
	expect("proc/cmdline", "a=\"hunter2 PW\" b=x\" PW\"PW ro\n", "a= b= ro\n");
	expect("proc/cmdline", "\"a=hunter2 PW\" module_blacklist=\"a,b\" ro",
	       " module_blacklist=\"a,b\" ro");
	expect("proc/cmdline", "ro a=\"hunter2 PW PW\n", "ro a=");
}

static void keys_of_the_fabric_are_removed(void)
{
	expect("etc/opensm/opensm.conf",
	       "# The M_Key of all ports\n"
	       "m_key 0x1234567890abcdef\n"
	       "sm_key 0x1\n"
	       "sm_priority 15\n"
	       "guid 0x0002c90300001234\n",
	       "# The M_Key of all ports\n"
	       "m_key\n"
	       "sm_key\n"
	       "sm_priority 15\n"
	       "guid 0x0002c90300001234\n");
}

static void units_lose_their_environment_and_their_credentials(void)
{
	expect("usr/lib/systemd/system/nfs-server.service.d/a.conf",
	       "[Service]\n"
	       "Environment=PASSWORD=hunter2 \\\n"
	       "  MORE=hunter3\n"
	       "LimitMEMLOCK=1G\n",
	       "[Service]\n"
	       "LimitMEMLOCK=1G\n");
	expect("etc/systemd/system/nfs-server.service",
	       "[Service]\n"
	       "SetCredential=tls.key:hunter2\n"
	       "SetCredentialEncrypted=nfs.key: \\\n"
	       "  aHVudGVyMw==\n"
	       "LimitMEMLOCK=1G\n",
	       "[Service]\n"
	       "LimitMEMLOCK=1G\n");
}

static void only_interfaces_of_network_files_are_kept(void)
{
	expect("etc/netplan/50-cloud-init.yaml",
	       "network:\n"
	       "  version: 2\n"
	       "  wifis:\n"
	       "    wlan0:\n"
	       "      access-points:\n"
	       "        home:\n"
	       "          password: hunter2\n"
	       "  ethernets: \n"
	       "    enp5s0:\n"
	       "      auth: {key-management: 802.1x, password: \"hunter2:\"}\n"
	       "      addresses: [192.0.2.1/24]\n",
	       "network:\n"
	       "  wifis:\n"
	       "    wlan0:\n"
	       "      access-points:\n"
	       "        home:\n"
	       "  ethernets:\n"
	       "    enp5s0:\n");
	expect("etc/network/interfaces",
	       "# hunter2\n"
	       "auto ens1\n"
	       "iface ens1 inet static\n"
	       "\taddress 192.0.2.1/24\n"
	       "  iface wlan0 inet dhcp\n"
	       "\twpa-psk hunter2\n",
	       "iface ens1\n"
	       "  iface wlan0\n");
	expect("etc/network/interfaces.d/wlan0", "wpa-psk hunter2\n", "");
}

static void other_files_are_left_alone(void)
{
	expect("etc/nfs.conf", "[nfsd]\npassword=1\n", "[nfsd]\npassword=1\n");
	expect("etc/fstab.d/x", "anything", "anything");
}

static void text_ends_at_a_nul(void)
{
	struct host_text copy = { malloc(9), 8 };

	memcpy(copy.text, "a\0secret", 9);
	secrets_strip("etc/fstab", &copy);
	CU_ASSERT_EQUAL(copy.len, 1);
	CU_ASSERT_STRING_EQUAL(copy.text, "");
	free(copy.text);
}

static void files_of_keys_are_known_by_name(void)
{
	static const char *const secret[] = {
		"etc/shadow",
		"etc/krb5.keytab",
		"etc/ssl/private/a",
		"root/.ssh/id_ed25519",
		"etc/ssh/ssh_host_rsa_key",
		"etc/pki/a.key",
		"etc/NetworkManager/system-connections/wifi"
	};
	static const char *const open_ones[] = {
		"etc/nfs.conf", "proc/cmdline",
		"sys/class/infiniband/mlx5_0/ports/1/pkeys/0", "etc/rdma/partitions.conf",
		"var/lib/nfs/etab"
	};
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
	   TEST(only_nfs_storages_of_proxmox_are_kept),
	   TEST(mounts_of_disks_stay_and_others_are_ids),
	   TEST(the_kernel_command_line_keeps_known_values),
	   TEST(kernel_command_line_quotes_are_parsed_like_the_kernel),
	   TEST(keys_of_the_fabric_are_removed),
	   TEST(units_lose_their_environment_and_their_credentials),
	   TEST(only_interfaces_of_network_files_are_kept),
	   TEST(other_files_are_left_alone), TEST(text_ends_at_a_nul),
	   TEST(files_of_keys_are_known_by_name))
