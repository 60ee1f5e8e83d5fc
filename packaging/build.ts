// Builds the npm package: deno task build [FOLDER], by default dist/. It bundles the modules that
// deno.json exports, each with its declarations. Shared code is in chunks, so that each class
// exists only once.

import { ABOUT } from "../model/about.ts";
import { cpSync, existsSync, globSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import config from "../deno.json" with { type: "json" };
import { declareModules } from "./_declarations.ts";
import { removeCachePath, ROOT, runDeno } from "./_deno.ts";

const NODE_VERSION = ">=20.9.0";
const PEER = "postgres";
const LINK = /\[([^\]]*)\]\((?![a-z]+:|#)([^)#]+)([^)]*)\)/g;

async function build(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const paths = Object.values(config.exports).map((path) => path.replace(/^\.\//, ""));
  const split = ["--platform", "deno", "--code-splitting", "--external", PEER, "--outdir", folder];
  await runDeno(["bundle", "--quiet", "--lock=deno.lock", ...split, ...paths]);
  for (const [path, text] of await declareModules(paths)) {
    await write(resolve(folder, path.replace(/\.ts$/, ".d.ts")), text);
  }
  await write(resolve(folder, "package.json"), `${JSON.stringify(describePackage(), null, 2)}\n`);
  for (const name of ["README.md", "SECURITY.md", "LICENSE", "packaging/LICENSE-deno-std"]) {
    await Deno.copyFile(new URL(name, ROOT), resolve(folder, name.replace(/^.*\//, "")));
  }
  await copyPages(folder);
  for (const path of globSync(`${folder}/**/*.js`)) await removeCachePath(path);
}

/** Returns the content of package.json (docs.npmjs.com, package.json). */
function describePackage(): Readonly<Record<string, unknown>> {
  const [, version] = config.imports[PEER].split(/@(?=\d)/);
  return {
    name: config.name,
    version: config.version,
    description: ABOUT,
    keywords: ["feedback", "boards", "changelog", "subscriptions", "deno", "bun", "node"],
    license: config.license,
    type: "module",
    sideEffects: false,
    engines: { node: NODE_VERSION },
    exports: Object.fromEntries(
      Object.entries(config.exports).map(([name, path]) => {
        const stem = path.replace(/\.ts$/, "");
        return [name, { types: `${stem}.d.ts`, default: `${stem}.js` }];
      }),
    ),
    peerDependencies: { [PEER]: `^${version}` },
    peerDependenciesMeta: { [PEER]: { optional: true } },
  };
}

/** Copies the pages that the README links to, with their pictures and examples. */
async function copyPages(folder: string): Promise<void> {
  cpSync(fileURLToPath(new URL("docs", ROOT)), `${folder}/docs`, { recursive: true });
  for (const path of globSync(`${folder}/docs/**/*.md`)) {
    const text = await Deno.readTextFile(path);
    await write(
      path,
      text.replace(LINK, (link, words: string, target: string, rest: string) => {
        if (existsSync(resolve(dirname(path), target))) return link;
        const declared = target.replace(/\.ts$/, ".d.ts");
        // A link to a file outside the package becomes plain text.
        return existsSync(resolve(dirname(path), declared))
          ? `[${words}](${declared}${rest})`
          : words;
      }),
    );
  }
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

if (import.meta.main) await build(resolve(Deno.args[0] ?? fileURLToPath(new URL("dist", ROOT))));
