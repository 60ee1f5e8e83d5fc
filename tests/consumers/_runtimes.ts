/** How a project is set up, checked and run on one runtime. */
export interface Runtime {
  readonly name: string;
  /** Files of docs/examples/embedding beside the app. */
  readonly sources: readonly string[];
  /** Settings, by the name of their file. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Packages beside Boardcast and the driver of PostgreSQL. */
  readonly packages: readonly string[];
  /** Commands; a program that starts with `./` comes out of a package. */
  readonly commands: {
    /** Checks the types, and makes what runs later where that is needed. */
    readonly check: readonly string[];
    /** Serves the app. */
    readonly serve: readonly string[];
    /** Runs the contract of storage. */
    readonly test: readonly string[];
  };
  /** How the server says where it listens. */
  readonly announcement: readonly ["stdout" | "stderr", RegExp];
  /** How the report of the contract says how many tests passed. */
  readonly passed: RegExp;
  /** The status that requests get which runtimes look at in their own ways. */
  readonly peculiarities: {
    /** Of a path with `..` that leads to a known one when it is resolved. */
    readonly dotSegments: number;
    /** Of a `Host` with a space in it. */
    readonly badHost: number;
    /** Of the method TRACE. */
    readonly trace: number;
  };
}

/** The name of the contract in a project. */
export const CONTRACT = "contract.test.ts";

// Pinned, so that a newer one is met when one chooses to.
const BUN = ["bun@1.4.5", "@types/bun@1.4.4"];
const NODE_TYPES = "@types/node@20.19.43";
const TYPESCRIPT = "typescript@5.9.3";
const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
};

/** The runtimes that the package is for. */
export const RUNTIMES: readonly Runtime[] = [
  {
    name: "Deno",
    sources: ["deno.ts"],
    settings: { "deno.json": { nodeModulesDir: "manual" } },
    packages: [NODE_TYPES],
    commands: {
      check: [Deno.execPath(), "check", "deno.ts", CONTRACT],
      serve: [
        ...[Deno.execPath(), "run", "--no-prompt", "--allow-net", "--allow-env=PORT,DATA"],
        ...["--allow-read=data", "--allow-write=data", "deno.ts"],
      ],
      test: [Deno.execPath(), "test", "--allow-all", CONTRACT],
    },
    announcement: ["stderr", /Listening on http:\/\/\S+?:(\d+)\//],
    passed: /passed \((\d+) steps\)/,
    peculiarities: { dotSegments: 404, badHost: 200, trace: 405 },
  },
  {
    name: "Bun",
    sources: ["bun.ts"],
    settings: {
      "tsconfig.json": {
        compilerOptions: {
          ...STRICT,
          ...{ module: "preserve", target: "esnext", lib: ["esnext"], types: ["bun"] },
          ...{ noEmit: true, allowImportingTsExtensions: true },
        },
      },
    },
    packages: [...BUN, TYPESCRIPT],
    commands: {
      check: ["./tsc", "-p", "."],
      serve: ["./bun", "bun.ts"],
      test: ["./bun", "test", CONTRACT],
    },
    announcement: ["stdout", /Listening on http:\/\/\S+?:(\d+)\//],
    passed: /^ *(\d+) pass$/m,
    peculiarities: { dotSegments: 200, badHost: 200, trace: 405 },
  },
  node({ name: "Node", program: "node", packages: [] }),
  // Of the newest, whose parser of URLs, and so of domains, is another one.
  node({ name: "Node 26", program: "./node", packages: ["node@26.10.0"] }),
];

function node(
  { name, program, packages }: {
    readonly name: string;
    readonly program: string;
    readonly packages: readonly string[];
  },
): Runtime {
  return {
    name,
    sources: ["node.ts", "node_bridge.ts"],
    settings: {
      "tsconfig.json": {
        compilerOptions: {
          ...STRICT,
          ...{ module: "nodenext", target: "es2023", lib: ["es2023"], types: ["node"] },
          ...{ outDir: "out", rewriteRelativeImportExtensions: true },
        },
      },
    },
    packages: [NODE_TYPES, TYPESCRIPT, ...packages],
    commands: {
      check: ["./tsc", "-p", "."],
      serve: [program, "out/node.js"],
      test: [program, "--test", "out/contract.test.js"],
    },
    announcement: ["stdout", /port: (\d+)/],
    passed: /^. pass (\d+)$/m,
    peculiarities: { dotSegments: 200, badHost: 400, trace: 400 },
  };
}
