// What the tests of the report page share: results made by the command, a browser, pages that are watched for errors
// and requests. LAVDM_COMMAND is the command, LAVDM_PAGES a folder for results and pages, which are made once.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = resolve(here, "../..");
const { chromium } = createRequire(join(root, "report/package.json"))("playwright-core");

export const command = resolve(process.env.LAVDM_COMMAND ?? join(root, "build/lavdm"));
export const folder = resolve(process.env.LAVDM_PAGES ?? join(root, "build/pages"));
mkdirSync(folder, { recursive: true });

/** Runs the command in the folder; its standard output. */
export function lavdm(...words) {
  return execFileSync(command, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs the steps if the file is not there yet; its path. */
export function made(name, ...steps) {
  const path = join(folder, name);
  if (!existsSync(path)) for (const step of steps) typeof step === "function" ? step() : lavdm(...step);
  if (!existsSync(path)) throw new Error(`${name} was not made`);
  return path;
}

let running = null;
export async function browser() {
  const path = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  running ??= await chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
  });
  return running;
}
export async function close() {
  await running?.close();
  running = null;
}

/**
 * Opens a page of a file and waits until it is drawn. Errors, warnings of the policy and requests beyond the file
 * itself are kept in `page.errors` and `page.requests`.
 */
export async function open(path, { width = 1400, height = 900, scheme = "light", ready = true, before = null, hash = "" } = {}) {
  const context = await (await browser()).newContext({
    viewport: { width, height }, colorScheme: scheme, acceptDownloads: true, reducedMotion: "reduce",
  });
  const page = await context.newPage(), address = pathToFileURL(path).href;
  page.setDefaultTimeout(60_000);
  page.errors = [];
  page.requests = [];
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.errors.push(message.text());
  });
  page.on("request", (request) => {
    if (request.url() !== address && !/^(blob|data):/.test(request.url())) page.requests.push(request.url());
  });
  page.on("dialog", (dialog) => {
    page.errors.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  if (before) await page.addInitScript(before);
  await page.goto(address + hash);
  if (ready) await drawn(page);
  return page;
}

/** Waits until every view has been drawn, and nothing is being fetched for one. */
export async function drawn(page) {
  await page.waitForFunction(() => {
    return document.querySelector("#app")?.children.length && !document.querySelector(".scatter:not([data-frames]), .busy");
  }, null, { timeout: 60_000 });
  await page.waitForTimeout(300);
}

/** r, g, b of a picture (PNG), row by row; smaller if a width is given: each pixel the mean of a tile. */
export async function pixels(png, wide = 0) {
  const page = await (await browser()).newPage();
  const found = await page.evaluate(async ([base64, across]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
    [canvas.width, canvas.height] = [image.width, image.height];
    context.drawImage(image, 0, 0);
    const whole = context.getImageData(0, 0, image.width, image.height).data, width = across || image.width;
    const tile = image.width / width, height = Math.max(1, Math.round(image.height / tile)), sum = new Float64Array(3 * width * height), count = new Float64Array(width * height);
    for (let y = 0; y < image.height; y++)
      for (let x = 0; x < image.width; x++) {
        const at = Math.min(height - 1, Math.floor(y / tile)) * width + Math.min(width - 1, Math.floor(x / tile));
        for (let c = 0; c < 3; c++) sum[3 * at + c] += whole[4 * (y * image.width + x) + c];
        count[at]++;
      }
    return { width, height, data: [...sum].map((v, i) => v / count[Math.floor(i / 3)]) };
  }, [png.toString("base64"), wide]);
  await page.close();
  return found;
}
