# SPDX-License-Identifier: GPL-2.0
#
# Skua, a SCSI target for the Linux kernel. "make help" lists the targets; the
# modules themselves are described in Kbuild.

KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
DESTDIR ?=
# Below lib/modules/RELEASE/, where the modules go
INSTALL_MOD_DIR ?= extra

# W= and C= given on the command line reach the kernel's build by themselves.
kbuild = $(MAKE) -C $(KDIR) M=$(CURDIR)
install_kbuild = $(kbuild) INSTALL_MOD_DIR=$(INSTALL_MOD_DIR) \
	$(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR))
# What the kernel's build calls itself; for Debian not what kernel.release says
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h)

.PHONY: all modules install modules_install tools_install uninstall clean check check-quick check-debug \
	check-all demo bench sparse checkpatch unit tools help dkms_install deb rpm

all: modules

modules:
	@test -e $(KDIR)/Makefile || { \
		echo "$(KDIR) is no kernel build directory: install the kernel's" \
		     "headers (scripts/install-deps) or give KDIR= or KVER=" >&2; exit 1; }
	+$(kbuild) modules

# skuaadm; $(prefix) is where it goes, /usr/local if not given
tools:
	$(MAKE) -C userspace

modules_install: modules
	+$(install_kbuild) modules_install

tools_install:
	$(MAKE) -C userspace install

install: modules_install tools_install

# The source of the modules as DKMS wants it
version = $(shell sed -n 's/^\#define SKUA_VERSION[[:space:]]*"\(.*\)"/\1/p' core/skua.h)
dkms_dir = $(DESTDIR)/usr/src/skua-$(version)

dkms_install:
	install -d $(dkms_dir)
	cp -R COPYING Kbuild Makefile core transports backends $(dkms_dir)
	find $(dkms_dir) -name '*.o' -o -name '.*.cmd' | xargs rm -f
	scripts/packaging/dkms-conf > $(dkms_dir)/dkms.conf

deb rpm:
	scripts/packaging/build $@

uninstall:
	rm -f $(addprefix $(DESTDIR)/lib/modules/$(release)/$(INSTALL_MOD_DIR)/, \
		$(shell sed 's/\#.*//' tests/lib/modules | sed 's/$$/.ko*/'))
	$(if $(DESTDIR),,depmod $(release))
	$(MAKE) -C userspace uninstall

clean:
	+$(kbuild) clean
	$(if $(wildcard tests/unit/Makefile),$(MAKE) -C tests/unit clean)
	$(if $(wildcard tests/tools/Makefile),$(MAKE) -C tests/tools clean)
	$(if $(wildcard userspace/Makefile),$(MAKE) -C userspace clean)

# --- tests; all build in copies outside this tree

check:
	@scripts/check

check-quick:
	@scripts/check --quick

check-debug:
	@scripts/check --debug

check-all:
	@scripts/check --all

unit:
	$(MAKE) -C tests/unit check

demo:
	@scripts/demo

bench:
	@scripts/bench

# --- style

sparse:
	+$(kbuild) clean
	+$(kbuild) C=1 modules

checkpatch:
	@scripts/run-checkpatch

help:
	@echo 'Build:'
	@echo '  make [modules]    build the modules for the running kernel; other ones:'
	@echo '                    KVER=release or KDIR=kernel-build-directory.'
	@echo '                    W=1 more warnings, C=1 run sparse, V=1 show commands'
	@echo '  make tools        build skuaadm, which configures them'
	@echo '  make install      install both (as root; DESTDIR= and prefix= are obeyed)'
	@echo '  make uninstall    remove them'
	@echo '  make dkms_install the source of the modules for DKMS, to /usr/src'
	@echo '  make deb, rpm     packages, see Documentation/packages.md'
	@echo '  make clean        remove what was built'
	@echo 'Test (in guests; neither this tree nor the running kernel is touched):'
	@echo '  make check        everyday tests on the distribution kernel'
	@echo '  make check-quick  of these, what needs no guest'
	@echo '  make check-debug  the same cases on a kernel with KASAN, lockdep, kmemleak,'
	@echo '                    UBSAN and fault injection, which is built once'
	@echo '  make check-all    every case, on both kernels'
	@echo '  make unit         unit tests only;  tests/vm CASE: single cases'
	@echo '  make sparse       rebuild under sparse;  make checkpatch: coding style'
	@echo 'Show:'
	@echo '  make demo         boot a guest, export disks over SRP, iSER and TCP, measure them'
	@echo '  make bench        instructions per I/O, Skua and LIO side by side'
	@echo 'scripts/install-deps installs what all of this needs.'
