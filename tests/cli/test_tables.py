"""Tables as pandas, R and spreadsheets write them: columns, ids, labels, missing values, new points, CSV out."""
import gzip
import json
import unittest

import numpy as np
import pandas as pd

from support import Case, circle

FEW = ("--method", "dm", "--components", "3", "--pca", "0")


def frame(n=60, seed=0):
    """A circle in four columns, and which half a point is in."""
    x = np.c_[circle(n), 3 * circle(n)[:, ::-1] + 10]
    table = pd.DataFrame(x, columns=["a", "b", "long name", "d"])
    table["half"] = np.where(np.arange(n) < n // 2, "first", "second")
    return table


class Tables(Case):
    def write(self, name, table, **how):
        table.to_csv(self.path(name), **how)
        return name

    def points(self, *words):
        """Eigenvalues of a run, and what it says of the table."""
        found = self.json("embed", *words, *FEW)
        return np.array(found["eigenvalues"]), found["table"]

    def wanted(self, x):
        np.save(self.path("wanted.npy"), x)
        return np.array(self.json("embed", "wanted.npy", *FEW)["eigenvalues"])

    def same(self, x, *words):
        values, table = self.points(*words)
        np.testing.assert_allclose(values, self.wanted(x), atol=1e-12)
        return table


class Recognised(Tables):
    def test_labels_and_index(self):
        t = frame()
        x = t.drop(columns="half").to_numpy()
        self.write("plain.csv", t, index=False)
        self.write("index.csv", t)
        self.write("named.csv", t.rename_axis("index"))
        self.write("one.csv", t.set_axis(np.arange(1, 61)).rename_axis("ID"))
        self.write("texts.csv", t.set_axis([f"p{i}" for i in range(60)]).rename_axis("sample"))
        self.write("t.tsv", t, sep="\t")
        self.write("s.csv", t, sep=";")
        self.write("c.csv", t, sep=";", decimal=",")
        self.write("c.tsv", t, sep="\t", decimal=",")
        self.write("g.csv.gz", t)
        self.write("g.tsv.gz", t, sep="\t", index=False)
        self.write("bom.csv", t, encoding="utf-8-sig", lineterminator="\r\n")
        self.write("r.txt", t.set_axis(t.index + 1), sep=" ", quoting=2)
        with open(self.path("r.txt")) as file:  # R's write.table has no name for the names of rows
            self.text("r.txt", file.read().replace('"" ', "", 1))
        for name in self.files():
            with self.subTest(name=name):
                found = self.same(x, name)
                self.assertEqual(found["labels"], "half")
                self.assertEqual(found["ids"], name not in ("plain.csv", "g.tsv.gz"))
                self.assertEqual(found["columns"], ["a", "b", "long name", "d"])
                self.assertEqual(found["doubts"], [])

    def test_told_to_people(self):
        name = self.write("x.csv", frame())
        run = self.done("embed", name, "-o", "o.npz", *FEW)
        self.assertIn("column 1 numbers the rows: taken as their ids", run.stderr)
        self.assertIn("column 6 'half' holds text: taken as labels", run.stderr)
        self.assertEqual(self.done("embed", name, "-qo", "o.npz", *FEW).stderr, "")

    def test_without_names(self):
        """What pandas writes of columns that have no names, with an index and without, and a plain table."""
        x = circle(50, noise=0.01)
        self.write("index.csv", pd.DataFrame(x))
        self.write("counted.csv", pd.DataFrame(x), index=False)
        self.write("bare.csv", pd.DataFrame(x), index=False, header=False)
        self.assertTrue(self.same(x, "index.csv")["ids"])
        self.assertIn("taken as a header", self.same(x, "counted.csv")["told"][0])
        self.assertEqual(self.same(x, "bare.csv")["told"], [])
        self.text("whole.csv", "0,1\n" + "".join(f"{i * i},{7 * i % 11}\n" for i in range(20)))
        found = self.json("embed", "whole.csv", *FEW)
        self.assertEqual(found["n"], 21)
        self.assertIn("taken as a row", found["table"]["doubts"][0])
        labelled = pd.DataFrame(x).assign(kind=["u", "v"] * 25)
        for name, how in (("l.csv", {}), ("m.csv", {"index": False}), ("y.csv", {"header": ["2019", "2020", "kind"]})):
            self.write(name, labelled, **how)
            self.assertEqual(self.same(x, name)["labels"], "kind")

    def test_what_may_be_no_coordinate(self):
        t = frame().drop(columns="half")
        t.insert(0, "time", np.arange(60) + 5)
        t["target"] = np.arange(60) % 3
        t["id"] = np.arange(60) // 2
        self.write("x.csv", t, index=False)
        run = self.done("embed", "x.csv", "-qo", "o.npz", *FEW)
        for piece in ("column 1 'time' counts the rows, from 5 up", "--drop time", "column 6 'target' holds 3 whole",
                      "--labels target", "column 7 'id' holds whole numbers, some twice"):
            self.assertIn(piece, run.stderr)
        _, found = self.points("x.csv", "--drop", "time,id", "--labels", "target")
        self.assertEqual((found["doubts"], found["columns"]), ([], ["a", "b", "long name", "d"]))

    def test_several_of_text(self):
        t = frame()
        t.insert(0, "site", ["here", "there"] * 30)
        t["comment"] = [f"said, \"{i}\"\nand so on" for i in range(60)]
        x = t[["a", "b", "long name", "d"]].to_numpy()
        self.write("x.csv", t, index=False)
        found = self.same(x, "x.csv")
        self.assertEqual(found["labels"], "site")
        self.assertIn("column 6 'half' holds text: left out (--labels half takes it)", found["told"])
        self.assertEqual(self.same(x, "x.csv", "--labels", "half")["labels"], "half")
        self.done("embed", "x.csv", "--ids", "comment", "-qo", "o.csv", *FEW)
        back = pd.read_csv(self.path("o.csv"))
        self.assertEqual(list(back["id"]), [c.replace("\n", " ") for c in t["comment"]])
        self.assertEqual(list(back["label"]), list(t["site"]))

    def test_empty_columns_and_late_text(self):
        self.text("x.csv", "a,b,\n" + "".join(f"{np.cos(i):.6f},{np.sin(i):.6f},\n" for i in range(30)))
        self.assertIn("column 3 is empty: left out", self.points("x.csv")[1]["told"])
        self.text("y.csv", "a,b\n" + "".join(f"{i * i},{i}.5\n" for i in range(30)) + "5,abc\n")
        self.refused(1, "embed", "y.csv", "-o", "o.npz", says=["line 32, column 2 'b': 'abc' is not a number", "--drop b"])
        self.text("z.csv", "a,b\nx,y\nu,v\n")
        self.refused(1, "embed", "z.csv", "-o", "o.npz", says="no column of numbers")

    def test_commas(self):
        self.text("clear.csv", "a;b\n" + "".join(f"{i},5;{i * i}\n" for i in range(20)))
        self.assertIn("decimals have a comma", self.points("clear.csv")[1]["told"][0])
        self.text("either.csv", "a;b\n" + "".join(f"{i + 1},500;{i * i}\n" for i in range(20)))
        self.refused(1, "embed", "either.csv", "-o", "o.npz", says=["line 2, column 1", "'1,500'", "thousands", "tr , ."])
        self.text("both.csv", "a;b\n" + "".join(f"{i},25;{i * i}.5\n" for i in range(20)))
        self.refused(1, "embed", "both.csv", "-o", "o.npz", says="line 2, column 1")
        self.text("thousands.csv", 'a,b\n1,2\n3,4\n"1,500",7\n')
        self.refused(1, "embed", "thousands.csv", "-o", "o.npz", says=["line 4, column 1 'a'", "thousands go without"])

    def test_quotes(self):
        self.text("x.csv", '"a ""x""","b\nc"\n' + "".join(f'"{i}.5",{i * i}\n' for i in range(20)))
        self.assertEqual(self.points("x.csv")[1]["columns"], ['a "x"', "b c"])
        self.text("y.csv", 'a,b\n1,2\n3,"4\n5,6\n')
        self.refused(1, "embed", "y.csv", "-o", "o.npz", says=["line 3", '"4'])


class Asked(Tables):
    def test_columns(self):
        t = frame()
        self.write("x.csv", t)
        for words, columns in ((("--columns", "a,d"), ["a", "d"]), (("--columns", "2-3"), ["a", "b"]),
                               (("--columns", "d,2"), ["d", "a"]), (("--columns", "long name"), ["long name"]),
                               (("--drop", "3,d"), ["a", "long name"]), (("--columns", "2-5", "--drop", "half"), list(t)[:4]),
                               (("--columns", "d,2-4", "--drop", "3"), ["d", "a", "long name"])):
            with self.subTest(words=words):
                found = self.same(t[columns].to_numpy(), "x.csv", *words)
                self.assertEqual(found["columns"], columns)

    def test_refused(self):
        self.write("x.csv", frame())
        self.write("bare.csv", frame(), index=False, header=False)
        for words, says in ((("--columns", "e"), ["no column 'e'", "it has"]), (("--columns", "9"), "from 1 to 6"),
                            (("--columns", "3-2"), "from 1 to 6"), (("--columns", "0"), "from 1 to 6"),
                            (("--labels", "hlaf"), "did you mean 'half'"), (("--labels", "2-3"), "one column"),
                            (("--columns", "half"), "'first' is not a number"), (("--missing", "mean"), "error|drop|median"),
                            (("--drop", "1-6"), "no column of numbers")):
            with self.subTest(words=words):
                self.refused(1, "embed", "x.csv", "-o", "o.npz", *words, says=says)
        self.refused(1, "embed", "bare.csv", "-o", "o.npz", "--columns", "a", says=["no header", "1 to 5"])
        self.text("edges.txt", "0 1\n1 2\n2 0\n")
        self.refused(1, "embed", "--graph", "edges.txt", "--method", "dm", "--drop", "1", "-o", "o.npz", says="about points")
        self.refused(1, "embed", "x.csv", "--columns", "a,b", "--drop", "2-3", "-o", "o.npz", says="no column of numbers")

    def test_arrays_too(self):
        """An array is a table without names."""
        t = frame()
        x = t.to_numpy()[:, :4].astype(float)
        for kind in (np.float64, np.float32):
            self.save("x.npy", np.ascontiguousarray(x.astype(kind)))
            self.same(x.astype(kind)[:, 1:3].astype(float), "x.npy", "--columns", "2-3", "--precision", "double")
        self.refused(1, "embed", "x.npy", "--columns", "2-3", "--stream", "yes", "-o", "o.npz", says="--stream yes")

    def test_missing(self):
        t = frame()
        x = t.to_numpy()[:, :4].astype(float)
        t.iloc[7, 1] = np.nan
        t.iloc[9, 3] = np.nan
        gone = np.delete(x, [7, 9], axis=0)
        filled = x.copy()
        filled[7, 1], filled[9, 3] = t["b"].median(), t["d"].median()
        for word in ("", "NA", "NaN", "nan", "null", "?", "N/A", "None"):
            with self.subTest(word=word):
                self.write("x.csv", t, index=False, na_rep=word)
                self.refused(1, "embed", "x.csv", "-o", "o.npz", says=["row 8, column 2 'b' (line 9)", "--missing drop"])
                self.assertEqual(self.same(gone, "x.csv", "--missing", "drop")["dropped"], 2)
                self.same(filled, "x.csv", "--missing", "median")
        self.done("embed", "x.csv", "--missing", "drop", "-qo", "o.csv", *FEW)
        back = pd.read_csv(self.path("o.csv"))
        self.assertEqual(list(back["id"]), [i for i in range(60) if i not in (7, 9)])
        self.assertEqual(list(back["label"]), list(t["half"].drop([7, 9])))
        self.text("all.csv", "a,b\n1,\n,2\n")
        self.refused(1, "embed", "all.csv", "--missing", "drop", "-o", "o.npz", says="leaves none")
        bad = x.copy()
        bad[3, 2] = np.nan
        self.save("x.npy", bad)
        self.same(np.delete(x, 3, axis=0), "x.npy", "--missing", "drop")

    def test_standardise(self):
        t = frame()
        x = t.to_numpy()[:, :4].astype(float)
        t["same"] = 3.25
        self.write("x.csv", t, index=False)
        z = np.c_[(x - x.mean(0)) / x.std(0), np.zeros(60)]
        found = self.same(z, "x.csv", "--standardise")
        self.assertIn("column 6 'same' is constant, and 0 after --standardise", found["told"])
        self.done("embed", "x.csv", "--standardise", "-qo", "o.npz", *FEW)
        with np.load(self.path("o.npz")) as kept:
            np.testing.assert_allclose(kept["column_mean"], np.r_[x.mean(0), 3.25], atol=1e-14)
            np.testing.assert_allclose(kept["column_scale"], np.r_[x.std(0), 1])
        self.save("landmarks.npy", np.c_[x[::6], np.full(10, 3.25)])
        self.save("z.npy", z)
        self.save("zl.npy", z[::6])
        few = ("--method", "roseland", "--components", "3", "--pca", "0")
        one = self.json("embed", "x.csv", "--standardise", "--design", "landmarks.npy", *few)
        two = self.json("embed", "z.npy", "--design", "zl.npy", *few)
        np.testing.assert_allclose(one["eigenvalues"], two["eigenvalues"], atol=1e-12)


class NewPoints(Tables):
    def extended(self, model, new, *words):
        self.done("extend", model, new, "-qo", "e.npz", *words)
        with np.load(self.path("e.npz")) as found:
            return {name: found[name] for name in found.files}

    def test_as_the_data_of_the_model(self):
        """Columns by name, whatever their order and what else there is; means, deviations and medians of the model."""
        t = frame()
        t.iloc[7, 1] = np.nan
        self.write("x.csv", t, index=False)
        self.done("embed", "x.csv", "--standardise", "--missing", "median", "-qo", "m.h5", *FEW)
        self.done("embed", "x.csv", "--standardise", "--missing", "median", "-qo", "m.npz", *FEW)
        with np.load(self.path("m.npz")) as found:
            wanted = found["eigenvectors"]
        other = t.iloc[::-1][["d", "half", "b", "long name", "a"]].assign(more=1.5)
        self.write("other.csv", other.iloc[:40])
        found = self.extended("m.h5", "other.csv", "--missing", "median")
        np.testing.assert_allclose(found["eigenvectors"], wanted[::-1][:40], atol=1e-7)
        self.assertEqual(list(found["ids"]), [str(i) for i in range(59, 19, -1)])
        self.assertEqual(list(found["labels"]), list(other["half"][:40]))
        self.save("new.npy", t.to_numpy()[10:30, :4].astype(float))
        np.testing.assert_allclose(self.extended("m.h5", "new.npy")["eigenvectors"], wanted[10:30], atol=1e-7)
        self.write("other.csv", other)
        self.refused(1, "extend", "m.h5", "other.csv", "-o", "no.npz", says=["row 53, column 4 'b'", "--missing"])
        self.write("few.csv", t[["a", "b"]].iloc[10:])
        self.refused(1, "extend", "m.h5", "few.csv", "-o", "no.npz", says=["no column 'long name'", "--columns"])
        self.save("few.npy", np.ones((5, 3)))
        self.refused(1, "extend", "m.h5", "few.npy", "-o", "no.npz", says="fitted to 4")

    def test_no_medians(self):
        t = frame()
        self.write("x.csv", t, index=False)
        self.done("embed", "x.csv", "-qo", "m.h5", *FEW)
        t.iloc[7, 1] = np.nan
        self.write("y.csv", t, index=False)
        self.refused(1, "extend", "m.h5", "y.csv", "--missing", "median", "-o", "o.npz", says="keeps no medians")
        self.assertEqual(len(self.extended("m.h5", "y.csv", "--missing", "drop")["eigenvectors"]), 59)

    def test_models_without_a_table(self):
        x = circle(60)
        self.save("x.npy", x)
        self.done("embed", "x.npy", "-qo", "m.h5", *FEW)
        self.write("y.csv", pd.DataFrame(x[:20], columns=["u", "v"]))
        self.assertEqual(len(self.extended("m.h5", "y.csv")["eigenvectors"]), 20)


class Results(Tables):
    def test_csv(self):
        t = frame()
        self.write("x.csv", t.set_axis([f"p{i}" for i in range(60)]))
        self.done("embed", "x.csv", "-qo", "o.npz", "--embedding", *FEW)
        with np.load(self.path("o.npz")) as found:
            vectors, coordinates = found["eigenvectors"][:, 0, :], found["coordinates"]
            self.assertEqual(list(found["ids"]), [f"p{i}" for i in range(60)])
            self.assertEqual(list(found["labels"]), list(t["half"]))
            self.assertEqual(list(found["columns"]), list(t)[:4])
            self.assertEqual(str(found["label_name"]), "half")
        for name, separator in (("o.csv", ","), ("o.tsv", "\t")):
            self.done("embed", "x.csv", "-qo", name, *FEW)
            back = pd.read_csv(self.path(name), sep=separator, float_precision="round_trip")
            self.assertEqual(list(back), ["id", "label", "psi0", "psi1", "psi2"])
            np.testing.assert_array_equal(back[["psi0", "psi1", "psi2"]], vectors)
            self.assertEqual(list(back["id"]), [f"p{i}" for i in range(60)])
            self.done("embed", "x.csv", "-qo", name, "--embedding", *FEW)
            back = pd.read_csv(self.path(name), sep=separator, index_col="id").drop(columns="label")
            self.assertEqual(list(back), ["coordinate0", "coordinate1", "coordinate2"][:coordinates.shape[1]])
            np.testing.assert_allclose(back, coordinates, atol=1e-12)
        _, found = self.points("o.csv")
        self.assertEqual((found["ids"], found["labels"]), (True, "label"))

    def test_fields(self):
        self.save("x.npy", circle(80))
        self.done("embed", "x.npy", "--dim", "1", "--method", "vdm", "--components", "2", "--embedding", "-qo", "o.csv")
        self.assertEqual(list(pd.read_csv(self.path("o.csv")))[0], "id")

    def test_nodes_are_ids(self):
        self.text("edges.csv", "5 7 1.5\n7 100 2\n100 5 1\n")
        self.done("embed", "--graph", "edges.csv", "--method", "dm", "--components", "2", "-qo", "o.csv")
        self.assertEqual(sorted(pd.read_csv(self.path("o.csv"))["id"]), [5, 7, 100])

    def test_kept_in_each(self):
        import h5py
        import scipy.io
        self.write("x.csv", frame())
        self.done("embed", "x.csv", "-qo", "o.h5", *FEW)
        with h5py.File(self.path("o.h5")) as file:
            self.assertEqual(file.attrs["labels"].split("\n"), list(frame()["half"]))
            self.assertEqual(file.attrs["ids"].split("\n"), [str(i) for i in range(60)])
        self.done("embed", "x.csv", "-qo", "o.mat", *FEW)
        self.assertEqual(scipy.io.loadmat(self.path("o.mat"))["labels"][0].split("\n"), list(frame()["half"]))
        listed = json.loads(self.done("info", "--json", "o.h5").stdout)["values"]
        self.assertEqual(listed["label_name"], "half")
        self.assertIn("more lines", self.done("info", "o.h5").stdout)

    def test_orient(self):
        self.write("x.csv", frame().drop(columns="d"))
        self.done("orient", "x.csv", "--columns", "a,b", "--dim", "1", "-qo", "o.npz")
        with np.load(self.path("o.npz")) as found:
            self.assertEqual(len(found["labels"]), 60)


class Damaged(Tables):
    def test_gzip(self):
        self.write("x.csv", frame())
        with open(self.path("x.csv"), "rb") as file:
            packed = gzip.compress(file.read())
        half = len(packed) // 2
        for data in (b"", packed[:5], packed[:half], packed[:-1], packed[:half] + b"\0" + packed[half + 1:], b"no gzip at all",
                     packed + b"tail"):
            with self.subTest(size=len(data)):
                self.data("y.csv.gz", data)
                self.refused(1, "embed", "y.csv.gz", "-o", "o.npz", says="y.csv.gz")
        self.data("two.csv.gz", gzip.compress(b"1,2\n3,4\n5,7\n") + gzip.compress(b"2,2\n1,0\n"))
        self.assertEqual(self.json("embed", "two.csv.gz", "--method", "dm", "--components", "1")["n"], 5)
        self.data("bomb.csv.gz", gzip.compress(b"1,2\n" * (1 << 24)))
        self.refused(2, "embed", "bomb.csv.gz", "--max-memory", "5e7", "-o", "o.npz", says="bomb.csv.gz")

    def test_other_files(self):
        for name, says in (("a.parquet", "read_parquet('a.parquet')"), ("a.feather", "read_feather"), ("a.arrow", "read_feather"),
                           ("a.pkl", "read_pickle"), ("a.xlsx", "read_excel"), ("a.json", "read_json"), ("a.rds", "readRDS"),
                           ("a.star", "not read"), ("a'b.parquet", "read_parquet('FILE.parquet')")):
            with self.subTest(name=name):
                self.data(name, b"x")
                self.refused(1, "embed", name, "-o", "o.npz", says=[name, says])


if __name__ == "__main__":
    unittest.main()
