/** How a project is set up, checked and run on one runtime. */
export interface Runtime {
  readonly name: string;
  /** Files of docs/examples/embedding beside the app. */
  readonly sources: readonly string[];
  /** Settings, by the name of their file. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Packages beside Boardcast and the driver of PostgreSQL. */
  readonly packages: readonly string[];
  /** Checks the types, and makes what runs later where that is needed; `./` is out of a package. */
  readonly check: readonly string[];
  /** Serves the app. */
  readonly serve: readonly string[];
  /** Runs the contract of storage. */
  readonly test: readonly string[];
  /** How the server says where it listens. */
  readonly announcement: readonly ["stdout" | "stderr", RegExp];
}

/** The name of the contract in a project. */
export const CONTRACT = "contract.test.ts";

// Pinned, so that a newer one is met when one chooses to.
const BUN = ["bun@1.4.5", "@types/bun@1.4.4"];
const NODE_TYPES = "@types/node@20.19.43";
const TYPESCRIPT = "typescript@5.9.3";

function strictly(compilerOptions: Readonly<Record<string, unknown>>) {
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  return {
    "tsconfig.json": { compilerOptions: { ...strict, skipLibCheck: false, ...compilerOptions } },
  };
}

/** The runtimes that the package is for. */
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
  // The newest Node has another parser of URLs, and so of domains.
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
