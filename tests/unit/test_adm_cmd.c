// SPDX-License-Identifier: GPL-2.0
/* The commands as they are typed: what they do, say and exit with. */
#include "adm_run.h"

static char *write_file(const char *text)
{
	static char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "%s/conf", kernel.defaults);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
	return path;
}

TEST(help_of_every_command)
{
	const struct command *c;

	for (c = commands; c->name; c++) {
		RUN(0, "%s --help", c->name);
		SAID("Usage: skuaadm ");
		SAID(c->name);
		RUN(EXIT_USAGE, "%s --no-such-option", c->name);
	}
}

TEST(without_the_kernel)
{
	const char *const lines[] = {
		"apply ../data/alua.conf", "save -", "show", "list devices", "get x", "set x a=1",
		"add x", "del x", "enable x", "disable x", "resize x", "sessions",
		"close-session x", "stats --prometheus", "stats --json", "top",
	};
	size_t i;

	setenv("SKUAADM_ROOT", "/nonexistent/scst_tgt", 1);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		RUN(EXIT_NO_TREE, "%s", lines[i]);
		SAID("Skua is not loaded");
	}
	RUN(0, "check ../data/alua.conf");
	RUN(EXIT_FILE, "check /nonexistent.conf");
	SAID("No such file or directory");
}

TEST(check)
{
	begin();
	RUN(EXIT_FILE, "check %s", write_file("a b c\n"));
	SAID("conf:1:5: error: attribute a has an invalid value");
	RUN(EXIT_FILE, "check %s", write_file("HANDLER h {\nDEVICE x {\nread_only 2\n}\n}\n"));
	RUN(0, "check --print %s", write_file("HANDLER h {\n}\n"));
	SAID("HANDLER h {\n}\n");
	RUN(0, "check --modules %s",
	    write_file("HANDLER vdisk_nullio {\nDEVICE x\n}\nHANDLER vdisk_fileio {\n}\n"
		       "HANDLER none {\nDEVICE y\n}\nTARGET_DRIVER iscsi {\nenabled 1\n}\n"));
	CHECK(strstr(said, "skua_nullio\nskua_iscsi\n"));
	CHECK(!strstr(said, "skua_fileio"));
	end();
}

TEST(apply)
{
	const char *path;

	begin();
	path = write_file("HANDLER vdisk_nullio {\nDEVICE a {\nsize_mb 4\nsize 4194304\n}\n}\n"
			  "TARGET_DRIVER iscsi {\nTARGET t {\nIncomingUser \"joe secretsecret\"\nLUN 0 a\n}\n}\n");
	RUN(EXIT_NOT_ASKED, "apply %s", path);
	SAID("+ TARGET iscsi/t: IncomingUser joe ***");
	CHECK(!strstr(said, "secretsecret"));
	CHECK(!k_has(&kernel, "devices/a"));
	RUN(0, "apply --dry-run %s", path);
	CHECK(!k_has(&kernel, "devices/a"));
	RUN(0, "apply --yes %s", path);
	SAID("DEVICE a has no attribute size_mb here");
	CHECK(k_has(&kernel, "targets/iscsi/t/luns/0"));
	RUN(0, "apply --yes %s", path);
	SAID("nothing to do");
	kernel.writes = 0;
	kernel.fail_at = 1;
	kernel.error = EBUSY;
	path = write_file("HANDLER vdisk_nullio {\nDEVICE b\nDEVICE c\n}\n");
	RUN(EXIT_ROLLED_BACK, "apply -y %s", path);
	SAID("line 3: DEVICE c: not created: Device or resource busy (EBUSY)");
	CHECK(!k_has(&kernel, "devices/b"));
	kernel.writes = 0;
	RUN(EXIT_FAILED, "apply -y --keep-going %s", path);
	CHECK(k_has(&kernel, "devices/b"));
	kernel.fail_at = -1;
	RUN(EXIT_USAGE, "apply a b");
	RUN(EXIT_FILE, "apply -y %s", write_file("HANDLER vdisk_fileio {\nDEVICE f {\nfilename /f\n}\n}\n"));
	SAID("modprobe skua_fileio");
	end();
}

#ifdef HAVE_JSON
TEST(json)
{
	begin();
	RUN(0, "apply --json --yes %s", write_file("HANDLER vdisk_nullio {\nDEVICE b\n}\n"));
	SAID("\"outcome\": \"applied\"");
	SAID("\"object\": \"DEVICE b\"");
	RUN(EXIT_USAGE, "apply --json %s", write_file("HANDLER vdisk_nullio {\nDEVICE b\n}\n"));
	RUN(0, "add scst_local/t session_name=s");
	RUN(0, "stats --json");
	SAID("\"initiator\": \"s\"");
	end();
}

TEST(convert)
{
	static const char *const lines[] = {
		"HANDLER vdisk_blockio {\n\tDEVICE vol {\n\t\tfilename /dev/vg/vol\n\t\tthin_provisioned 1\n",
		"\tDEVICE file {\n\t\tfilename /srv/file.img\n\t\tusn short-serial\n",
		"HANDLER vdisk_nullio {\n\tDEVICE null {\n\t\tsize 8388608\n",
		"\t\tIncomingUser \"joe secretsecret\"\n",
		"\t\tGROUP iqn.2020-01.org.example:host {\n\t\t\tLUN 0 ram {\n\t\t\t\tread_only 1\n"
		"\t\t\t}\n\t\t\tLUN 5 vol\n",
		"TARGET fe80:0000:0000:0000:5254:00ff:fe00:0001 {\n\t\tenabled 1\n",
		"\t\t\tINITIATOR fe80:0000:0000:0000:5254:00ff:fe00:00a1\n",
		"storage object tape: there is no counterpart of pscsi; left out",
		"there is no counterpart of fabric qla2xxx; left out",
		"only the first portal group is carried over",
		"longer than 20 characters and was cut",
	};
	size_t i;

	RUN(0, "convert ../data/lio.json");
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		SAID(lines[i]);
	RUN(EXIT_FILE, "convert ../data/alua.conf");
	SAID("no JSON object");
	RUN(EXIT_FILE, "convert /nonexistent");
	RUN(EXIT_USAGE, "convert");
}
#endif

TEST(save)
{
	char path[100], backup[110];
	struct stat st;
	size_t len;
	char *text;

	begin();
	snprintf(path, sizeof(path), "%s/saved", kernel.defaults);
	snprintf(backup, sizeof(backup), "%s~", path);
	RUN(0, "add handlers/vdisk_nullio/a");
	RUN(0, "add scst_local/t");
	RUN(0, "save %s", path);
	CHECK(!stat(path, &st));
	CHECK_EQ(st.st_mode & 07777, 0600);
	CHECK(stat(backup, &st));
	chmod(path, 0640);
	RUN(0, "del devices/a");
	RUN(EXIT_NOT_ASKED, "save %s", path);
	SAID("- DEVICE a");
	RUN(0, "save --yes %s", path);
	CHECK(!stat(path, &st));
	CHECK_EQ(st.st_mode & 07777, 0640);
	text = read_all(backup, &len);
	CHECK(text && strstr(text, "DEVICE a"));
	free(text);
	RUN(EXIT_FAILED, "save -y /nonexistent/dir/file");
	RUN(0, "save -");
	SAID("TARGET t {");
	end();
}

TEST(objects)
{
	begin();
	RUN(0, "add handlers/vdisk_nullio/a size=8192 prod_id=two+words");
	CHECK(k_has(&kernel, "devices/a"));
	RUN(EXIT_FAILED, "add handlers/vdisk_nullio/a");
	SAID("is there already");
	RUN(EXIT_FAILED, "add handlers/nosuch/a");
	RUN(EXIT_FAILED, "add handlers/vdisk_blockio/b");
	SAID("needs a filename");
	RUN(EXIT_FAILED, "add handlers/vdisk_blockio/b filename=/nowhere");
	SAID("No such file or directory (ENOENT)");
	RUN(EXIT_FAILED, "add handlers/vdisk_nullio/c read_only=3");
	RUN(0, "get a prod_id size");
	CHECK_STR(said, "two words\n8192\n");
	RUN(EXIT_FAILED, "get a nosuch");
	RUN(0, "add iscsi/t");
	RUN(0, "add t/luns/0 device=a");
	RUN(EXIT_FAILED, "add t/luns/0 device=a");
	RUN(EXIT_FAILED, "add t/luns/1");
	RUN(EXIT_FAILED, "add t/luns/1 device=nosuch");
	RUN(0, "add t/ini_groups/g");
	RUN(0, "add targets/iscsi/t/ini_groups/g/initiators/x*");
	RUN(0, "add t/ini_groups/g/luns/5 device=a read_only=1");
	RUN(0, "set t IncomingUser=joe+longsecret");
	CHECK(k_has(&kernel, "targets/iscsi/t/IncomingUser"));
	RUN(0, "set t/luns/0 read_only=1");
	RUN(0, "get t/luns/0 read_only");
	CHECK_STR(said, "1\n");
	RUN(EXIT_FAILED, "set t nosuch=1");
	RUN(EXIT_USAGE, "set t comment");
	RUN(0, "set t comment=hello addr_method=FLAT");
	RUN(0, "enable t");
	RUN(0, "get iscsi/t enabled comment");
	CHECK_STR(said, "1\nhello\n");
	RUN(0, "disable iscsi/t");
	RUN(0, "enable iscsi");
	RUN(0, "set t comment=");
	RUN(0, "get t comment");
	CHECK_STR(said, "\n");
	end();
}

TEST(a_refused_set_is_set_back)
{
	begin();
	RUN(0, "add handlers/vdisk_nullio/a");
	RUN(EXIT_FAILED, "set a max_tgt_dev_commands=5 naa_id=0xzz");
	RUN(EXIT_FAILED, "set a max_tgt_dev_commands=5 prod_id=refuse-this");
	SAID("prod_id refuse-this: Invalid argument (EINVAL)");
	RUN(0, "get a max_tgt_dev_commands");
	CHECK_STR(said, "64\n");
	end();
}

TEST(deleting)
{
	begin();
	RUN(0, "add handlers/vdisk_nullio/a");
	RUN(0, "add iscsi/t");
	RUN(0, "add t/luns/0 device=a");
	RUN(0, "add t/ini_groups/g");
	RUN(EXIT_NOT_ASKED, "del a");
	SAID("- TARGET iscsi/t, LUN 0 a");
	RUN(0, "del -y a");
	CHECK(!k_has(&kernel, "targets/iscsi/t/luns/0") && !k_has(&kernel, "devices/a"));
	RUN(EXIT_FAILED, "del a");
	RUN(0, "del t/ini_groups/g");
	RUN(0, "del t");
	CHECK(!k_has(&kernel, "targets/iscsi/t"));
	RUN(EXIT_FAILED, "del iscsi");
	RUN(EXIT_FAILED, "del handlers/vdisk_nullio");
	RUN(EXIT_FAILED, "del /");
	end();
}

TEST(names_that_are_not_clear)
{
	begin();
	RUN(0, "add iscsi/t");
	RUN(0, "add scst_local/t");
	RUN(EXIT_FAILED, "get t");
	SAID("2 drivers have a target t");
	RUN(0, "get scst_local/t");
	RUN(EXIT_FAILED, "get nosuch");
	RUN(0, "get %s/targets/iscsi/t comment", kernel.root);
	RUN(0, "get /");
	SAID("setup_id");
	end();
}

TEST(resize)
{
	begin();
	RUN(0, "add handlers/vdisk_nullio/a");
	RUN(0, "resize a 64M");
	RUN(0, "get a size");
	CHECK_STR(said, "67108864\n");
	RUN(0, "resize devices/a 1GiB");
	RUN(EXIT_USAGE, "resize a big");
	RUN(EXIT_USAGE, "resize a 99999999P");
	RUN(EXIT_FAILED, "resize a");
	SAID("give a size");
	end();
}

TEST(lists_and_show)
{
	begin();
	RUN(0, "add handlers/vdisk_nullio/disk10");
	RUN(0, "add handlers/vdisk_nullio/disk2");
	RUN(0, "add scst_local/t session_name=s");
	RUN(0, "add t/luns/0 device=disk2");
	RUN(0, "add t/ini_groups/g");
	RUN(0, "list devices");
	CHECK_STR(said, "disk2\ndisk10\n");
	RUN(0, "list targets");
	CHECK_STR(said, "scst_local/t\n");
	RUN(0, "list groups");
	CHECK_STR(said, "scst_local/t/ini_groups/g\n");
	RUN(0, "list sessions");
	CHECK_STR(said, "scst_local/t/sessions/s\n");
	RUN(EXIT_USAGE, "list things");
	RUN(EXIT_USAGE, "list");
	RUN(0, "show");
	SAID("disk2                  2.5 TiB, 1 LUN\n");
	SAID("LUN 0     disk2");
	SAID("session s");
	CHECK(!strchr(said, '\033'));
	SAID("session s: 0 B read, 0 B written, 0 active\n");
	RUN(0, "show --rates=0.1");
	SAID("session s: 0 read/s 0.0 MB/s, 0 write/s 0.0 MB/s, 0 active\n");
	RUN(EXIT_USAGE, "show --rates=x");
	RUN(EXIT_USAGE, "show x");
	RUN(0, "sessions");
	SAID("TARGET");
	RUN(0, "sessions scst_local");
	RUN(EXIT_FAILED, "sessions nosuch");
	RUN(EXIT_FAILED, "close-session nosuch");
	RUN(EXIT_FAILED, "close-session s");	/* this kernel has no force_close */
	RUN(0, "stats --prometheus");
	SAID("skua_session_luns{driver=\"scst_local\",target=\"t\",session=\"s\",initiator=\"s\",group=\"\"} 0");
	RUN(EXIT_USAGE, "stats");
	end();
}

TEST(doctor)
{
	begin();
	RUN(0, "add iscsi/t");
	RUN(0, "add handlers/vdisk_blockio/b filename=/dev/null active=0");
	RUN(1, "doctor");
	SAID("the core is loaded");
	SAID("TARGET iscsi/t has no LUN");
	SAID("TARGET iscsi/t is disabled");
	SAID("DEVICE b is not active");
	SAID("locked memory: ");
	end();
	setenv("SKUAADM_ROOT", "/nonexistent/scst_tgt", 1);
	RUN(1, "doctor");
	CHECK(!strstr(said, "the core is loaded"));
}

TEST(doctor_and_memory)
{
	static const char stats[] =
		"Inactive/active pages                      512/256\n"
		"Hi/lo watermarks [pages]                   25600/22400\n"
		"Hi watermark releases/failures             3/%d\n";
	char text[sizeof(stats) + 8];

	begin();
	snprintf(text, sizeof(text), stats, 0);
	k_store(kernel.root, "sgv/global_stats", text, 0644);
	k_subdir(&kernel, "handlers", "vdisk_ramdisk",
		 "The following parameters available: size, blocksize");
	RUN(0, "add handlers/vdisk_ramdisk/r size=8192");
	RUN(1, "doctor");
	SAID("data of commands use 3 of 100 MiB");
	SAID("RAM disks may grow to 0 of ");
	RUN(0, "add handlers/vdisk_ramdisk/r2 size=1152921504606846976");
	snprintf(text, sizeof(text), stats, 7);
	k_store(kernel.root, "sgv/global_stats", text, 0644);
	RUN(1, "doctor");
	SAID("commands were told BUSY or had to wait 7 times");
	SAID("RAM disks may grow to 1099511627776 MiB");
	k_store(kernel.root, "sgv/global_stats", "nonsense\n", 0644);
	RUN(1, "doctor");
	CHECK(!strstr(said, "commands use"));
	end();
}

/* ---- called as scstadmin ---------------------------------------------- */

TEST(scstadmin_options)
{
	begin();
	RUN(0, "scstadmin -help");
	RUN(1, "scstadmin");
	RUN(1, "scstadmin -nosuch");
	RUN(1, "scstadmin -list");		/* of many options */
	RUN(1, "scstadmin -add_group");
	RUN(1, "scstadmin word");
	RUN(1, "scstadmin -add_dgrp a -add_dgrp b");
	RUN(0, "scstadmin --list_devi");
	RUN(0, "scstadmin -list_handler -list_driver -list_target");
	SAID("vdisk_nullio");
	SAID("scst_local");
	SAID("All done.");
	RUN(0, "scstadmin -list_handler nosuch");
	RUN(1, "scstadmin -list_device nosuch");
	RUN(0, "scstadmin -cont -list_device nosuch");
	end();
}

TEST(scstadmin_writes)
{
	begin();
	RUN(0, "scstadmin -open_dev d0 -handler vdisk_nullio -attributes size=8192,read_only");
	SAID("done.");
	CHECK(k_has(&kernel, "devices/d0"));
	RUN(1, "scstadmin -open_dev d0 -handler vdisk_nullio");
	SAID("FATAL: Received the following error");
	SAID("EEXIST");
	RUN(0, "scstadmin -cont_on_err -open_dev d0 -handler vdisk_nullio");
	RUN(1, "scstadmin -open_dev d1");
	RUN(0, "scstadmin -add_target t -driver iscsi");
	RUN(41, "scstadmin -add_target t -driver iscsi");
	RUN(30, "scstadmin -add_target t -driver nosuch");
	RUN(31, "scstadmin -add_target t -driver ib_srpt");
	RUN(40, "scstadmin -noprompt -rem_target u -driver iscsi");
	RUN(0, "scstadmin -add_group g -driver iscsi -target t");
	RUN(0, "scstadmin -add_init x* -driver iscsi -target t -group g");
	RUN(0, "scstadmin -add_lun 0 -driver iscsi -target t -device d0");
	RUN(0, "scstadmin -add_lun 1 -driver iscsi -target t -group g -device d0 -attributes read_only=1");
	RUN(0, "get t/ini_groups/g/luns/1 read_only");
	CHECK_STR(said, "1\n");
	RUN(0, "scstadmin -add_tgt_attr t -driver iscsi -attributes IncomingUser=joe+secretsecret");
	CHECK(k_has(&kernel, "targets/iscsi/t/IncomingUser"));
	RUN(0, "scstadmin -enable_target t -driver iscsi");
	RUN(0, "scstadmin -noprompt -set_tgt_attr t -driver iscsi -attributes comment=c,addr_method=LUN");
	RUN(0, "get t comment addr_method enabled");
	CHECK_STR(said, "c\nLUN\n1\n");
	RUN(0, "scstadmin -noprompt -set_tgt_attr t -driver iscsi -attributes nosuch=1");
	SAID("(ENOENT) Warning");
	RUN(0, "scstadmin -list_tgt_attr t -driver iscsi");
	SAID("addr_method");
	RUN(1, "scstadmin -list_tgt_attr t");
	end();
}

TEST(scstadmin_asks)
{
	begin();
	RUN(0, "scstadmin -open_dev d0 -handler vdisk_nullio");
	RUN(0, "scstadmin -close_dev d0 -handler vdisk_nullio");
	SAID("(y/[n]) ?");
	CHECK(k_has(&kernel, "devices/d0"));
	RUN(0, "scstadmin -debug -noprompt -close_dev d0 -handler vdisk_nullio");
	SAID("\"del_device d0\"");
	CHECK(k_has(&kernel, "devices/d0"));
	RUN(0, "scstadmin -noprompt -close_dev d0 -handler vdisk_nullio");
	CHECK(!k_has(&kernel, "devices/d0"));
	end();
}

TEST(scstadmin_config)
{
	const char *path;

	begin();
	path = write_file("HANDLER vdisk_nullio {\nDEVICE a\nDEVICE b\n}\nTARGET_DRIVER iscsi {\n"
			  "enabled 1\nIncomingUser \"d secretsecret\"\nTARGET t {\nenabled 1\nLUN 0 a\n}\n}\n");
	RUN(0, "scstadmin -check_config %s", path);
	RUN(0, "scstadmin -config %s", path);
	SAID("change(s) made.");
	RUN(0, "scstadmin -config %s", path);
	SAID("-> Done, 0 change(s) made.");
	RUN(0, "scstadmin -write_config %s.out", path);
	RUN(0, "check %s.out", path);
	path = write_file("HANDLER vdisk_nullio {\nDEVICE a\nDEVICE e\n}\nHANDLER vcdrom {\nDEVICE c {\nfilename /c\n}\n}\n"
			  "TARGET_DRIVER iscsi {\nTARGET t {\nLUN 0 e\nLUN 1 a\nLUN 2 c\n}\n}\n");
	RUN(0, "scstadmin -config %s", path);
	SAID("LUN 0 is a and stays so");
	CHECK(k_has(&kernel, "devices/b"));
	RUN(0, "scstadmin -noprompt -force -config %s", path);
	CHECK(!k_has(&kernel, "devices/b"));
	RUN(1, "scstadmin -clear_config -noprompt");
	RUN(0, "scstadmin -clear_config -force -noprompt");
	CHECK(!k_has(&kernel, "devices/a") && !k_has(&kernel, "targets/iscsi/t"));
	CHECK(!k_has(&kernel, "targets/iscsi/IncomingUser"));
	RUN(0, "get iscsi enabled");
	CHECK_STR(said, "0\n");
	RUN(1, "scstadmin -config /nonexistent");
	RUN(1, "scstadmin -config %s", write_file("a b c\n"));
	RUN(0, "scstadmin -config %s", write_file(""));
	RUN(1, "scstadmin -check_config %s", write_file("}\n"));
	end();
}
