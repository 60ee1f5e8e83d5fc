import { assert } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The npm package, as it would be published. */
export interface PackedPackage {
  /** The folder of the unpacked package. */
  readonly folder: string;
  /** The path of the packed one. */
  readonly tarball: string;
}

/** What a project has. */
export interface ProjectOptions {
  /** Packages beside Boardcast, with their versions. */
  readonly packages: readonly string[];
  /** Files by their names; those of this folder with a URL, others with their text. */
  readonly files: Readonly<Record<string, URL | string>>;
}

const BUILD = fileURLToPath(new URL("../../packaging/build.ts", import.meta.url));

/** Builds the package and packs it, in a folder that the caller removes. */
export async function packPackage(root: string): Promise<PackedPackage> {
  const folder = join(root, "dist");
  await run([Deno.execPath(), "run", "--allow-all", BUILD, folder], { cwd: root });
  const pack = ["npm", "pack", "--json", "--pack-destination", root, folder];
  const { stdout } = await run(pack, { cwd: root });
  const [{ filename }]: { filename: string }[] = JSON.parse(stdout);
  return { folder, tarball: join(root, filename) };
}

/** Creates a project in a new folder, and installs the packed package and others in it. */
export async function createProject(
  folder: string,
  tarball: string,
  { packages, files }: ProjectOptions,
): Promise<void> {
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "package.json"), '{ "type": "module", "private": true }\n');
  for (const [name, content] of Object.entries(files)) {
    const text = content instanceof URL ? await Deno.readTextFile(content) : content;
    await Deno.writeTextFile(join(folder, name), text);
  }
  const flags = ["--no-audit", "--no-fund", "--no-package-lock"];
  await run(["npm", "install", ...flags, tarball, ...packages], { cwd: folder });
}

/** Runs a command in a folder and returns what it writes; throws when it fails. */
export async function run(
  [command, ...args]: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  let output: Deno.CommandOutput;
  try {
    const options = { args: [...args], cwd, env: { ...env, NO_COLOR: "1" } };
    output = await new Deno.Command(command, options).output();
  } catch (error) {
    throw new Error(`Cannot run ${command}: install it and try again`, { cause: error });
  }
  const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) =>
    new TextDecoder().decode(bytes)
  );
  assert(output.success, `${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return { stdout, stderr };
}
