/** The setup and the commands of a project on one runtime. */
export interface Runtime {
  readonly name: string;
  /** Further files of docs/examples/embedding for the app. */
  readonly sources: readonly string[];
  /** Configuration files, by name. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Packages besides Boardcast and the driver of PostgreSQL. */
  readonly packages: readonly string[];
  /**
   * The command that checks the types and, if needed, builds the app. `./` stands for a program of
   * a package.
   */
  readonly check: readonly string[];
  /** The command that serves the app. */
  readonly serve: readonly string[];
  /** The command that runs the storage contract. */
  readonly test: readonly string[];
  /** The stream and the pattern that announce the server's address. */
  readonly announcement: readonly ["stdout" | "stderr", RegExp];
}

/** The file of the storage contract in a project. */
export const CONTRACT = "contract.test.ts";

// Pinned, so that new versions come only with a deliberate update.
const BUN = ["bun@1.4.5", "@types/bun@1.4.4"];
const NODE_TYPES = "@types/node@20.19.43";
const TYPESCRIPT = "typescript@5.9.3";

function strictly(compilerOptions: Readonly<Record<string, unknown>>) {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  return {
    "tsconfig.json": { compilerOptions: { ...strict, skipLibCheck: false, ...compilerOptions } },
  };
}

/** The runtimes that the package supports. */
export const RUNTIMES: readonly Runtime[] = [
  {
    name: "Deno",
    sources: ["deno.ts"],
    settings: { "deno.json": { nodeModulesDir: "manual" } },
    packages: [NODE_TYPES],
    check: [Deno.execPath(), "check", "deno.ts", CONTRACT],
    serve: [
      ...[Deno.execPath(), "run", "--no-prompt", "--allow-net", "--allow-env=PORT,DATA"],
      ...["--allow-read=data", "--allow-write=data", "deno.ts"],
    ],
    test: [Deno.execPath(), "test", "--allow-all", CONTRACT],
    announcement: ["stderr", /Listening on http:\/\/\S+?:(\d+)\//],
  },
  {
    name: "Bun",
    sources: ["bun.ts"],
    settings: strictly({
      ...{ module: "preserve", target: "esnext", lib: ["esnext"], types: ["bun"] },
      ...{ noEmit: true, allowImportingTsExtensions: true },
    }),
    packages: [...BUN, TYPESCRIPT],
    check: ["./tsc", "-p", "."],
    serve: ["./bun", "bun.ts"],
    test: ["./bun", "test", CONTRACT],
    announcement: ["stdout", /Listening on http:\/\/\S+?:(\d+)\//],
  },
  node("Node", "node"),
  // The newest Node has another URL parser, and so treats domains differently.
  node("Node 26", "./node", "node@26.10.0"),
];

function node(name: string, program: string, ...packages: readonly string[]): Runtime {
  return {
    name,
    sources: ["node.ts", "node_bridge.ts"],
    settings: strictly({
      ...{ module: "nodenext", target: "es2023", lib: ["es2023"], types: ["node"] },
      ...{ outDir: "out", rewriteRelativeImportExtensions: true },
    }),
    packages: [NODE_TYPES, TYPESCRIPT, ...packages],
    check: ["./tsc", "-p", "."],
    serve: [program, "out/node.js"],
    test: [program, "--test", "out/contract.test.js"],
    announcement: ["stdout", /port: (\d+)/],
  };
}
