#!/usr/bin/env python3
"""Composes kernelslist.g and kernel-1.traceg.xz, the GPU trace that the demo replays.

A kernel as Accel-Sim's tracer would have recorded it (version 5), with the addresses of a real
algorithm worked out thread by thread: C = A * B for 128 x 128 floats with 32 x 32 tiles in shared
memory, 16 blocks of 16 x 16 threads, 2 x 2 results each. Then, in the same kernel, C is also stored
transposed, A goes through a five-point stencil, is gathered in a scattered order, and the gathered
values are counted in a histogram by atomics. Arithmetic is thinned out: of each run of instructions
that access no memory only the first are written. Needs nothing but Python; writes next to itself:

    python3 matmul.py
"""
import lzma
import os

N, TILE, SIDE, DEPTH = 128, 32, 16, 16      # matrix, tile of C, threads a side, of K at a time
A, B, C = 0x7f2a40000000, 0x7f2a40010000, 0x7f2a40020000
D, E, ORDER = 0x7f2a40030000, 0x7f2a40040000, 0x7f2a40050000
BINS, TICKET = 0x7f2a40060000, 0x7f2a40060400
SHARED_B = DEPTH * TILE * 4                 # offset of B's tile behind A's
LOCAL = 0xfffbe0                            # a spilled register

a = [(i * 40503 + 12345 >> 3) % 251 for i in range(N * N)]
order = [(i * 9301 + 49297) % (N * N) for i in range(N * N)]


class Warp:
    """The instruction lines of a warp. Each place in the program has one pc, given at first use."""
    pcs = {}

    def __init__(self):
        self.lines = []

    def line(self, place, mask, dst, opcode, src, width=0, tail=""):
        pc = self.pcs.setdefault(place, 16 * len(self.pcs))
        regs = lambda r: " ".join([str(len(r))] + r)
        self.lines.append(f"{pc:04x} {mask:08x} {regs(dst)} {opcode} {regs(src)} {width} {tail}")

    def alu(self, place, opcode, dst="R7", src=("R2", "R3"), imm=0, mask=0xffffffff):
        self.line(place, mask, [dst] if dst else [], opcode, list(src), 0, f"{imm} ")

    def memory(self, place, opcode, width, addrs, dst=None, src=("R2",), imm=0, mode=None):
        """addrs: of 32 lanes, None where a lane does not take part."""
        lanes = [i for i in range(32) if addrs[i] is not None]
        mask, on = sum(1 << i for i in lanes), [addrs[i] for i in lanes]
        if not on:
            tail = "1 0x0 0"
        elif mode == 0:
            tail = "0 " + " ".join(f"0x{x:016x}" for x in on)
        else:
            steps = [y - x for x, y in zip(on, on[1:])]
            row = lanes[-1] - lanes[0] + 1 == len(lanes) and len(on) > 1
            if row and len(set(steps)) == 1:
                tail = f"1 0x{on[0]:x} {steps[0]}"
            else:
                tail = " ".join([f"2 0x{on[0]:x}"] + [str(s) for s in steps])
        self.line(place, mask, [dst] if dst else [], opcode, list(src), width, f"{tail} {imm} ")


def multiply(w, bx, by, threads):
    """The tile of C, DEPTH of K at a time."""
    for k in range(0, N, DEPTH):
        # Each thread brings two neighbouring floats of each tile.
        at = [(t // 8, t % 8 * 2) for t in threads]                 # of A's tile: 32 rows of 16
        w.memory("load a", "LDG.E.64.CONSTANT", 8,
                 [A + 4 * ((by * TILE + r) * N + k + c) for r, c in at], "R8")
        bt = [(t // 16, t % 16 * 2) for t in threads]               # of B's: 16 rows of 32
        w.memory("load b", "LDG.E.64.CONSTANT", 8,
                 [B + 4 * ((k + r) * N + bx * TILE + c) for r, c in bt], "R10")
        for half in (0, 1):                                         # A's is stored transposed
            w.memory(f"store a {half}", "STS", 4, [4 * ((c + half) * TILE + r) for r, c in at],
                     src=("R4", "R8"))
        w.memory("store b", "STS.64", 8, [SHARED_B + 4 * (r * TILE + c) for r, c in bt], src=("R5", "R10"))
        w.alu("full", "BAR.SYNC.DEFER_BLOCKING", None, ())
        for step in range(0, DEPTH, 4):                             # every fourth is written
            w.memory(f"a {step}", "LDS.64", 8, [4 * (step * TILE + t // SIDE * 2) for t in threads], "R12", ("R4",))
            w.memory(f"b {step}", "LDS.64", 8,
                     [SHARED_B + 4 * (step * TILE + t % SIDE * 2) for t in threads], "R14", ("R5",))
            w.alu(f"fma {step}", "FFMA", "R16", ("R12", "R14", "R16"))
        w.alu("used", "BAR.SYNC.DEFER_BLOCKING", None, ())
        w.alu("k", "IADD3", "R6", ("R6",), DEPTH)
        w.alu("more", "BRA", None, (), 64, 0xffffffff if k + DEPTH < N else 0)


def block(bx, by):
    for warp in range(SIDE * SIDE // 32):
        w, threads = Warp(), [warp * 32 + i for i in range(32)]
        here = [(by * TILE + t // SIDE * 2, bx * TILE + t % SIDE * 2) for t in threads]
        w.alu("start", "MOV", "R1", ())
        w.alu("tid", "S2R", "R0", ())
        w.alu("index", "IMAD", "R2", ("R0", "R3"))
        w.memory("spill", "STL", 4, [LOCAL] * 32, src=("R1", "R2"))
        multiply(w, bx, by, threads)
        w.memory("unspill", "LDL", 4, [LOCAL] * 32, "R2", ("R1",))
        for i in (0, 1):
            w.memory(f"store c {i}", "STG.E.64", 8, [C + 4 * ((r + i) * N + c) for r, c in here], src=("R2", "R16"))
        for i in (0, 1):                                            # D = C transposed: a column at a time
            for j in (0, 1):
                w.memory(f"store d {i}{j}", "STG.E", 4, [D + 4 * ((c + j) * N + r + i) for r, c in here],
                         src=("R3", "R16"), imm=4 * j)
        # A stencil on A: a thread takes one point of each quarter of its tile; the border has fewer neighbours.
        for q in range(4):
            at = [(by * TILE + q * 8 + t // TILE, bx * TILE + t % TILE) for t in threads]
            for name, dr, dc in (("mid", 0, 0), ("up", -1, 0), ("down", 1, 0), ("left", 0, -1), ("right", 0, 1)):
                w.memory(f"stencil {name}", "LDG.E.CONSTANT", 4,
                         [A + 4 * ((r + dr) * N + c + dc) if 0 <= r + dr < N and 0 <= c + dc < N else None
                          for r, c in at], "R20", imm=4 * dc)
                w.alu(f"add {name}", "FADD", "R21", ("R20", "R21"))
            w.memory("store e", "STG.E", 4, [E + 4 * (r * N + c) for r, c in at], src=("R2", "R21"))
        # A gathered in a scattered order, and counted.
        for part in range(2):
            at = [((by * 4 + bx) * 2 + part) * 256 + t for t in threads]
            w.memory("order", "LDG.E.CONSTANT", 4, [ORDER + 4 * i for i in at], "R22")
            w.memory("gather", "LDG.E", 4, [A + 4 * order[i] for i in at], "R23", ("R22",), mode=0)
            value = [a[order[i]] for i in at]
            w.alu("odd", "ISETP.NE.AND", None, ("R23", "R255"))
            w.memory("count", "RED.E.ADD.STRONG.GPU", 4,
                     [BINS + v % 32 * 4 if v & 1 else None for v in value], src=("R24", "R23"))
        first = [TICKET if t == 0 else None for t in threads]
        w.memory("ticket", "ATOMG.E.ADD.STRONG.GPU", 4, first, "R25", ("R26", "R27"))
        w.memory("seen", "LDG.E.STRONG.GPU", 4, first, "R28", ("R26",))
        w.alu("end", "EXIT", None, ())
        yield warp, w.lines


def kernel():
    yield from (
        "-kernel name = _Z18matmul_and_epiloguePKfS0_PfS1_S1_PKiPjS4_", "-kernel id = 1", "-grid dim = (4,4,1)",
        f"-block dim = ({SIDE},{SIDE},1)", f"-shmem = {2 * SHARED_B}", "-nregs = 40", "-binary version = 80",
        "-cuda stream id = 0", "-shmem base_addr = 0x00007f2a2e000000", "-local mem base_addr = 0x00007f2a2c000000",
        "-nvbit version = 1.7.6", "-accelsim tracer version = 5", "-enable lineinfo = 0", "",
        "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
        "[adrrescompress?] [mem_addresses] immediate", "", "", "")
    for by in range(4):
        for bx in range(4):
            yield from ("#BEGIN_TB", "", f"thread block = {bx},{by},0", "")
            for warp, lines in block(bx, by):
                yield from (f"warp = {warp}", f"insts = {len(lines)}", *lines, "")
            yield from ("#END_TB", "")


here = os.path.dirname(os.path.abspath(__file__))
with lzma.open(os.path.join(here, "kernel-1.traceg.xz"), "wt", newline="\n", preset=9) as f:
    f.writelines(line + "\n" for line in kernel())
with open(os.path.join(here, "kernelslist.g"), "w", newline="\n") as f:
    f.writelines(f"MemcpyHtoD,0x{base:016x},{4 * N * N}\n" for base in (A, B, ORDER))
    f.write("kernel-1.traceg.xz\n")
    f.write(f"MemcpyDtoH,0x{C:016x},{4 * N * N}\n")
