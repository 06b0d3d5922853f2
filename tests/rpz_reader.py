#!/usr/bin/env python3
"""rpz_reader.py - reads an .rpz file and prints its rows as `reprise dump` does.

Written from reprise-rpz(5) alone, to show that the page is enough. Needs the zstd program; hashes are not looked at,
because Python brings no XXH3.

usage: rpz_reader.py FILE
"""
import struct
import subprocess
import sys

BITS64 = (1 << 64) - 1
BITS32 = (1 << 32) - 1
META, LAUNCH, BLOCK, INDEX, FOOTER = 0xA7E5D1C1, 0xB3E9D2C2, 0xC5F1D3C3, 0xD9E3D4C4, 0xE3F7D5C5
STREAM, TIME, PC, MASK, FLAGS = 1, 2, 4, 8, 16  # optional columns
SAME = 16  # among a row's flags


def need(what, why):
    if not what:
        sys.exit(f"{sys.argv[1]}: {why}")


def unzigzag(x):
    return x // 2 if x % 2 == 0 else -1 - x // 2


def unzstd(stored):
    return subprocess.run(["zstd", "-dcq"], input=stored, stdout=subprocess.PIPE, check=True).stdout


class Numbers:
    """Four columns: tokens, first bytes, second bytes, other bytes."""

    def __init__(self, columns, k, count):
        self.tokens = columns.get(k, bytes(count))
        self.first, self.second, self.rest = (iter(columns.get(k + j, b"")) for j in (1, 2, 3))
        self.token = iter(self.tokens)
        need(len(self.tokens) == count, f"{len(self.tokens)} numbers in column {k}, not {count}")

    def number(self, length):
        parts = [self.first] * (length > 0) + [self.second] * (length > 1) + [self.rest] * (length - 2)
        return sum(next(part) << 8 * j for j, part in enumerate(parts))

    def __next__(self):
        return self.number(next(self.token))

    def done(self):
        left = sum(1 for part in (self.token, self.first, self.second, self.rest) for _ in part)
        need(left == 0, "a column of numbers is not used up")


def numbers(columns, k, count):
    n = Numbers(columns, k, count)
    values = [next(n) for _ in range(count)]
    n.done()
    return values


class Block:
    """One block: its rows, as tuples, in the order of the trace."""

    def __init__(self, head, payload, optional):
        (_, self.coding, self.shift, self.key, n_columns, self.n, _, _, self.base, n_ops, n_tokens, self.n_streams,
         _, self.n_runs, _, _) = head
        self.optional = optional
        self.marks, self.n_pcs, self.n_masks, flags = struct.unpack_from("<4I", payload)
        self.always = flags & 1
        at = 16
        directory = [struct.unpack_from("<BBHII", payload, at + 12 * k) for k in range(n_columns)]
        at += 12 * n_columns
        self.ops = [struct.unpack_from("<IBB", payload, at + 6 * k) for k in range(n_ops)]
        at += 6 * n_ops
        self.tokens = []
        if self.coding == 0:
            for op in range(n_ops):
                codes, = struct.unpack_from("<Q", payload, at + 8 * op)
                self.tokens += [(op, c) for c in range(64) if codes >> c & 1]
            at += 8 * n_ops
            need(len(self.tokens) == n_tokens + 1, "the number of tokens")
        self.columns = {}
        for number, codec, _, raw, stored in directory:
            data = payload[at:at + stored]
            at += stored
            self.columns[number] = unzstd(data) if codec == 1 else data
            need(len(self.columns[number]) == raw, f"the length of column {number}")
        need(at == len(payload), "the length of a block")

    def read_streams(self):
        """Streams, rows of each, and the place of each row's stream in the order of the block."""
        self.streams, last = [], 0
        for step in numbers(self.columns, 12, self.n_streams):
            last += step
            self.streams.append(last)
        counts = [self.n]
        if self.n_streams > 1:
            counts = [x + 1 for x in numbers(self.columns, 24, self.n_streams)]
        self.counts = counts
        self.place = [k for k, count in enumerate(counts) for _ in range(count)]
        need(len(self.place) == self.n, "rows of the streams")

    def order(self):
        """Rows of the block in the order of the trace."""
        if self.n_streams < 2:
            return range(self.n)
        start, at = [], 0
        for count in self.counts:
            start.append(at)
            at += count
        guess = [(p + 1) % self.n_streams for p in range(self.n_streams)]
        order, before = [], 0
        lengths = numbers(self.columns, 32, self.n_runs)
        for step, length in zip(numbers(self.columns, 28, self.n_runs), lengths):
            p = guess[before] + unzigzag(step)
            order += range(start[p], start[p] + length + 1)
            start[p] += length + 1
            guess[before] = p
            before = p
        need(sorted(order) == list(range(self.n)), "the runs")
        return order

    def dictionary(self, table, codes, size, coded):
        """A value for each row; coded[i]: row i has a code."""
        entries, last = [], 0
        for step in numbers(self.columns, table, size):
            last = (last + unzigzag(step)) & BITS64
            entries.append(last)
        code = iter(numbers(self.columns, codes, sum(coded)))
        follower, used, values, last = {}, 0, [], 0
        for i in range(self.n):
            if i == 0 or self.place[i] != self.place[i - 1]:
                before = None
            if coded[i]:
                c = next(code)
                if c == 0:
                    entry = follower[before]
                elif c == 1:
                    entry = used
                    used += 1
                else:
                    entry = c - 2
                follower[before] = entry
                before = entry
                last = entries[entry]
            values.append(last)
        need(used == size, "a table")
        return values

    def read_times(self):
        n = Numbers(self.columns, 36, self.n)
        times, t1, t2 = [], 0, 0
        for i in range(self.n):
            token = next(n.token)
            step = t1 - t2 if token >= 16 else 0
            t1, t2 = (t1 + step + unzigzag(n.number(token % 16))) & BITS64, t1
            times.append(t1)
        n.done()
        return times

    def entry(self, i, op, pc):
        """The entry of predictor 7's table."""
        if self.key == 2:
            same = 1 if self.ops[op[i]][2] & SAME else 0
            return ((2 * pc[i] + same + 1) * 0x9E3779B97F4A7C15 & BITS64) >> 52
        c = [op[i - k] + 1 if i >= k else 0 for k in range(6)]
        a = c[3] + (c[2] << 8) + (c[1] << 16) + (c[0] << 24)
        b = c[5] + (c[4] << 8) + (c[3] << 16) + (c[2] << 24)
        return (a * 0x9E3779B1 + b * 0x85EBCA77 & BITS32) >> 20

    def predicted(self, op, code, pc):
        n = Numbers(self.columns, 1, self.n)
        y, table = [], [0] * 4096
        for i in range(self.n):
            p, length = divmod(code[i], 8)
            entry = self.entry(i, op, pc) if self.key else 0
            guess = table[entry] if p == 7 else y[i - 1 - p] if i > p else 0
            y.append((guess + unzigzag(n.number(8 if length == 7 else length))) & BITS64)
            if self.key:
                table[entry] = y[i]
            next(n.token)
        n.done()
        return [((x << self.shift) + self.base) & BITS64 for x in y]

    def framed(self):
        planes = [self.columns.get(16 + k, bytes(self.n)) for k in range(8)]
        numbers_ = [sum(plane[i] << 8 * k for k, plane in enumerate(planes)) for i in range(self.n)]
        return [((x << self.shift) + self.base) & BITS64 for x in numbers_]

    def rows(self):
        self.read_streams()
        if self.coding == 0:
            op, code = zip(*(self.tokens[t] for t in self.columns[1]))
        else:
            op, code = list(self.columns[1]), None
        pc = mask = time = [0] * self.n
        if self.optional & PC:
            coded = [bool(self.always or not self.ops[o][2] & SAME) for o in op]
            pc = self.dictionary(40, 44, self.n_pcs, coded)
        if self.optional & MASK:
            mask = self.dictionary(48, 52, self.n_masks, [True] * self.n)
        if self.optional & TIME:
            time = self.read_times()
        address = self.predicted(op, code, pc) if self.coding == 0 else self.framed()
        explicit = iter(numbers(self.columns, 8, sum(self.ops[o][0] == 0 for o in op)))
        size = [self.ops[o][0] or next(explicit) for o in op]
        need(sum(self.ops[o][1] >= 8 for o in op) == self.marks, "the number of marks")
        for i in self.order():
            stream = self.streams[self.place[i]] if self.n_streams else 0
            _, kind, flags = self.ops[op[i]]
            yield stream, kind, address[i], size[i], time[i], pc[i], mask[i], flags


def print_row(optional, row):
    stream, kind, address, size, time, pc, mask, flags = row
    if kind == 8:
        print(f"#kernel_end {address}")
    elif kind > 8:
        print(f"#{('host_copy', 'copy_back', 'invalidate')[kind - 9]} {address:#x} {size}")
    else:
        fields = [str(stream), "RWAPI"[kind], f"{address:#x}", str(size)]
        fields += [str(time)] * bool(optional & TIME) + [f"{pc:#x}"] * bool(optional & PC)
        fields += [f"{mask:#010x}"] * bool(optional & MASK)
        if optional & FLAGS:
            fields += [("none", "global", "local")[flags & 7], str(flags >> 3 & 1), str(flags >> 4 & 1)]
        print(",".join(fields))


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    need(data[:8] == bytes.fromhex("8952505a0d0a1a0a"), "no .rpz file")
    major, _, length, features, most, optional = struct.unpack_from("<HHIQII", data, 8)
    need(major == 1 and features == 0, f"version {major}")
    names = ["stream", "op", "address", "size"] + ["time"] * bool(optional & TIME) + ["pc"] * bool(optional & PC)
    names += ["mask"] * bool(optional & MASK) + ["space", "bypass", "same"] * bool(optional & FLAGS)
    print(",".join(names))
    at, rows = length, 0
    while True:
        head = struct.unpack_from("<I4BIIQQHHIIIQQ", data, at)
        payload = data[at + 64:at + 64 + head[6]]
        if head[0] == BLOCK:
            need(head[7] == rows and head[5] <= most, "the position of a block")
            for row in Block(head, payload, optional).rows():
                print_row(optional, row)
                rows += 1
        elif head[0] == FOOTER:
            break
        at += 64 + (head[6] + 7) // 8 * 8
    need(struct.unpack_from("<Q", payload)[0] == rows, "the number of rows")
    end = at + 64 + (head[6] + 7) // 8 * 8
    need(struct.unpack_from("<Q8s", data, end) == (at, data[7::-1]), "the trailer")
    need(len(data) == end + 24, "bytes behind the end")


main()
