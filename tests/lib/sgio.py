# SPDX-License-Identifier: GPL-2.0
"""Single SCSI commands through SG_IO, for cases whose checks are easier in Python.

	from sgio import *
	d = Dev("/dev/sg0")
	d.good("12 00 00 00 60 00", read=96)      bytes that came
	d.sense((5, 0x24, 0), "...", field=2)     that refusal is due
	d.cmd("...", read=N or write=DATA)        an Answer; no opinion

The first thing that is not as it should be ends the program with status 1.
"""
import ctypes
import fcntl
import os
import struct
import sys
import traceback

SG_IO = 0x2285
NO_DATA, TO_DEV, FROM_DEV = -1, -2, -3


class Header(ctypes.Structure):
    _fields_ = [("interface_id", ctypes.c_int), ("direction", ctypes.c_int),
                ("cmd_len", ctypes.c_ubyte), ("mx_sb_len", ctypes.c_ubyte),
                ("iovec_count", ctypes.c_ushort), ("dxfer_len", ctypes.c_uint),
                ("dxferp", ctypes.c_void_p), ("cmdp", ctypes.c_void_p),
                ("sbp", ctypes.c_void_p), ("timeout", ctypes.c_uint),
                ("flags", ctypes.c_uint), ("pack_id", ctypes.c_int),
                ("usr_ptr", ctypes.c_void_p), ("status", ctypes.c_ubyte),
                ("masked_status", ctypes.c_ubyte), ("msg_status", ctypes.c_ubyte),
                ("sb_len_wr", ctypes.c_ubyte), ("host_status", ctypes.c_ushort),
                ("driver_status", ctypes.c_ushort), ("resid", ctypes.c_int),
                ("duration", ctypes.c_uint), ("info", ctypes.c_uint)]


class Wrong(Exception):
    pass


def wrong(text):
    raise Wrong(text)


def be(value, size):
    return value.to_bytes(size, "big")


def num(data):
    return int.from_bytes(data, "big")


class Answer:
    def __init__(self, h, sense, data):
        self.status, self.host, self.resid, self.data = h.status, h.host_status, h.resid, data
        self.raw = sense
        self.sense = self.field = self.bit = self.info = None
        if self.status == 2 and sense:
            self.parse(sense)

    def parse(self, s):
        if s[0] & 0x7f == 0x70:
            self.sense = (s[2] & 15, s[12], s[13])
            if s[0] & 0x80:
                self.info = num(s[3:7])
            if len(s) > 17 and s[15] & 0x80:
                self.pointer(s[15:18])
            return
        self.sense = (s[1] & 15, s[2], s[3])
        pos = 8
        while pos + 2 <= 8 + s[7]:
            if s[pos] == 0:
                self.info = num(s[pos + 4:pos + 12])
            elif s[pos] == 2:
                self.pointer(s[pos + 4:pos + 7])
            pos += 2 + s[pos + 1]

    def pointer(self, sks):
        self.field = num(sks[1:3])
        self.bit = sks[0] & 7 if sks[0] & 8 else None

    def __str__(self):
        if self.status != 2:
            return f"status {self.status:#x} host {self.host:#x} resid {self.resid}"
        key, asc, ascq = self.sense or (0, 0, 0)
        return f"CHECK {key:x}/{asc:02x}/{ascq:02x} field {self.field} bit {self.bit} info {self.info}"


class Dev:
    def __init__(self, path, timeout=30):
        self.path, self.fd = path, os.open(path, os.O_RDWR)
        self.timeout = timeout * int(os.environ.get("SKUA_SLOW", "1"))

    def cmd(self, cdb, read=0, write=None):
        if isinstance(cdb, str):
            cdb = bytes.fromhex(cdb)
        n = len(write) if write is not None else read
        buf = ctypes.create_string_buffer(bytes(write) if write is not None else bytes(n), n or 1)
        c, s = ctypes.create_string_buffer(cdb, len(cdb)), ctypes.create_string_buffer(96)
        h = Header(interface_id=ord("S"), cmd_len=len(cdb), mx_sb_len=96, dxfer_len=n,
                   direction=NO_DATA if not n else TO_DEV if write is not None else FROM_DEV,
                   cmdp=ctypes.addressof(c), sbp=ctypes.addressof(s),
                   dxferp=ctypes.addressof(buf), timeout=int(self.timeout * 1000))
        fcntl.ioctl(self.fd, SG_IO, h)
        return Answer(h, s.raw[:h.sb_len_wr], buf.raw[:n - h.resid] if read else b"")

    def good(self, cdb, read=0, write=None):
        a = self.cmd(cdb, read, write)
        if a.status or a.host:
            wrong(f"{self.path}: {shown(cdb)} gave {a}, not GOOD")
        return a.data

    def sense(self, want, cdb, read=0, write=None, field=None, info=None):
        a = self.cmd(cdb, read, write)
        if a.sense != want or (field is not None and a.field != field) or \
                (info is not None and a.info != info):
            wrong(f"{self.path}: {shown(cdb)} gave {a}, not {want} field {field} info {info}")
        return a

    def ready(self):
        """Takes away pending unit attentions; returns them."""
        seen = []
        for _ in range(20):
            a = self.cmd("00 00 00 00 00 00")
            if a.status == 0:
                return seen
            seen.append(a.sense)
        wrong(f"{self.path} does not become ready: {seen}")

    def vpd(self, page):
        d = self.good(bytes([0x12, 1, page, 4, 0, 0]), read=1024)
        eq("page code", d[1], page)
        eq(f"length of VPD {page:02x}", num(d[2:4]), len(d) - 4)
        return d

    def capacity(self):
        d = self.good("9e 10 00 00 00 00 00 00 00 00 00 00 00 20 00 00", read=32)
        return num(d[:8]) + 1, num(d[8:12]), d

    def read(self, lba, blocks, size):
        return self.good(b"\x88\0" + be(lba, 8) + be(blocks, 4) + b"\0\0", read=blocks * size)

    def write(self, lba, data, size, flags=0):
        self.good(bytes([0x8a, flags]) + be(lba, 8) + be(len(data) // size, 4) + b"\0\0",
                  write=data)

    def rsoc(self, opcode, action=0, option=3):
        return self.good(b"\xa3\x0c" + bytes([option, opcode]) + be(action, 2) + be(512, 4) +
                         b"\0\0", read=512)


def shown(cdb):
    return cdb if isinstance(cdb, str) else cdb.hex(" ")


def brief(value):
    if not isinstance(value, bytes) or len(value) <= 64:
        return repr(value)
    return f"{value[:32].hex()}... ({len(value)} bytes)"


def eq(what, got, want):
    if got != want:
        wrong(f"{what} is {brief(got)}, not {brief(want)}")


def step(text):
    print("---", text, flush=True)


def _hook(kind, value, tb):
    where = [f for f in traceback.extract_tb(tb) if "sgio" not in f.filename]
    if kind is Wrong and where:
        print(f"line {where[-1].lineno}: {value}", flush=True)
    else:
        traceback.print_exception(kind, value, tb, file=sys.stdout)


sys.excepthook = _hook
