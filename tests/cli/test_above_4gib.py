"""Arrays of more than 4 GiB, which a library that counts in 32 bits reads wrongly."""
import struct
import unittest
import zipfile

from support import Case, sanitized

ROWS = 577_000_000  # of 8 bytes: 4.3 GiB


def available():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))


class Large(Case):
    @unittest.skipIf(available() < 7e9, "needs 7 GB of memory")
    def test_deflated_npz(self):
        if sanitized():
            self.skipTest("slow")
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({ROWS},), }}".encode().ljust(117) + b"\n"
        last, block = struct.pack("d", 7.5), bytes(1 << 24)
        with zipfile.ZipFile(self.path("x.npz"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
            with file.open("x.npy", "w", force_zip64=True) as member:
                member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)
                left = 8 * (ROWS - 1)
                while left:
                    left -= member.write(block[:left])
                member.write(last)
        found = self.json("info", "x.npz")["arrays"][0]
        self.assertEqual((found["shape"], found["min"], found["max"]), ([ROWS], 0, 7.5))


if __name__ == "__main__":
    unittest.main()
