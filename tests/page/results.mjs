// Results of every kind of run, made by the command when first asked for, each with its page.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, lavdm, made } from "./support.mjs";

const page = (name, ...words) => made(`${name}.html`, ["report", ...words, "-o", `${name}.html`, "-q"]);

/** 400 points of the sphere with fields; every fourth point of a table with ids and labels. */
export const sphere = () => page("sphere", made("sphere.npz",
  ["sample", "sphere", "-n", "400", "-o", "sphere.npy", "-q"],
  ["embed", "sphere.npy", "--dim", "2", "--components", "12", "--landmarks", "150", "-o", "sphere.npz", "-q"]));

const three = (i) => ["west", "middle", "east"][i % 3];
/** A table of three clouds on a plane, named and labelled, by a diffusion map. */
export function clouds(labels = three, name = "clouds") {
  return page(name, made(`${name}.npz`, () => {
    const rows = ["id,length,width,height,place"];
    for (let i = 0; i < 300; i++) {
      const angle = i * 2.399963, radius = Math.sqrt((i % 97) / 97), middle = [0, 1.5, 3][i % 3];
      rows.push([`p${i}`, middle + radius * Math.cos(angle), radius * Math.sin(angle), 0.1 * Math.sin(5 * angle), `"${labels(i).replaceAll('"', '""')}"`].join(","));
    }
    writeFileSync(join(folder, `${name}.csv`), rows.join("\n") + "\n");
  }, ["embed", `${name}.csv`, "--method", "dm", "--components", "8", "-o", `${name}.npz`, "-q"]));
}

export const mobius = () => page("mobius", made("mobius.npz",
  ["sample", "mobius", "-n", "800", "-o", "mobius.npy", "-q"],
  ["orient", "mobius.npy", "--cover", "-o", "mobius.npz", "-q"]));

export const images = () => page("images", made("images.npz",
  ["sample", "projections", "-n", "150", "--size", "32", "--snr", "2", "-o", "stack.mrcs", "-q"],
  ["embed", "stack.mrcs", "--bundle", "rotation", "--components", "10", "-o", "images.npz", "-q"]), "--data", "stack.mrcs");

export function averages() {
  images();
  return page("averages", made("averages.npz",
    ["average", "stack.mrcs", "-o", "averages.mrcs", "--table", "averages.npz", "-q"]), "--images", "stack.mrcs", "--averages", "averages.mrcs");
}

export const poses = () => page("poses", made("poses.npz",
  ["sample", "graph", "--group", "se2", "-n", "200", "--outliers", "0.1", "--noise", "0.02", "-o", "poses.g2o", "-q"],
  ["sync", "poses.g2o", "--robust", "--certify", "--covariance", "-o", "poses.npz", "-q"]));

/** A walk through a city, with points beside every twelfth pose that are seen from near by. */
export const surveyed = () => page("surveyed", made("surveyed.npz",
  ["sample", "graph", "--group", "se2", "-n", "120", "--layout", "city", "--noise", "0.05", "-o", "walk.g2o", "-q"], () => {
    const truth = readFileSync(join(folder, "walk-truth.csv"), "utf8").trim().split("\n").map((line) => line.split(",").map(Number));
    const lines = truth.flatMap(([node, angle, x, y]) => truth.filter((_, k) => k % 12 === 0).flatMap(([point, , px, py]) => {
      const u = px + 0.6 - x, v = py + 0.3 - y, c = Math.cos(angle), s = Math.sin(angle);
      return u * u + v * v < 9 ? [`EDGE_SE2_XY ${node} ${1000 + point} ${c * u + s * v + 0.05 * Math.sin(node * point)} ${c * v - s * u} 100 0 100`] : [];
    }));
    appendFileSync(join(folder, "walk.g2o"), lines.join("\n") + "\n");
  }, ["sync", "walk.g2o", "--certify", "--covariance", "-o", "surveyed.npz", "-q"]));

export const turns = () => page("turns", made("turns.npz",
  ["sample", "graph", "--group", "so3", "-n", "120", "--noise", "0.05", "-o", "turns.csv", "-q"],
  ["sync", "turns.csv", "-o", "turns.npz", "-q"]));

export function extended() {
  sphere();
  return page("extended", made("extended.npz",
    ["embed", "sphere.npy", "--dim", "2", "--components", "12", "--landmarks", "150", "-o", "sphere.h5", "-q"],
    ["sample", "sphere", "-n", "60", "--seed", "5", "-o", "new.npy", "-q"],
    ["extend", "sphere.h5", "new.npy", "-o", "extended.npz", "-q"]));
}

export const signals = () => page("signals", made("signals.npz", () => {
  // 120 periodic signals of 32 samples, two shapes in any phase, as .npy
  const values = new Float64Array(120 * 32);
  for (let i = 0; i < 120; i++)
    for (let t = 0; t < 32; t++) {
      const x = (2 * Math.PI * (t + 0.27 * i * i)) / 32;
      values[32 * i + t] = Math.exp(2 * Math.cos(x)) + (i % 2 ? 1.5 : 0.4) * Math.sin(2 * x + 0.01 * i);
    }
  const head = "{'descr': '<f8', 'fortran_order': False, 'shape': (120, 32), }", pad = 64 - ((10 + head.length + 1) % 64);
  const text = Buffer.from(head + " ".repeat(pad) + "\n", "latin1"), length = Buffer.alloc(2);
  length.writeUInt16LE(text.length);
  writeFileSync(join(folder, "signals.npy"), Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), length, text, Buffer.from(values.buffer)]));
}, ["embed", "signals.npy", "--bundle", "shift", "--components", "8", "-o", "signals.npz", "-q"]), "--data", "signals.npy");

export const kinds = { sphere, clouds, mobius, images, averages, poses, surveyed, turns, extended, signals };

/** The JSON of a page, as the page reads it. */
export const described = (path) => JSON.parse(readFileSync(path, "utf8").match(/<script type="application\/json" id="page">(.*?)<\/script>/s)[1]);
export { lavdm };
