// A server of KV Connect, version 3, with one database in memory, for URLs like kv:https://…. The
// protocol is documented at github.com/denoland/denokv, in proto/kv-connect.md and
// proto/schema/datapath.proto.

import { Buffer } from "node:buffer";

/** A message of Protocol Buffers: the values of its fields, by their numbers. */
type Message = ReadonlyMap<number, readonly (number | Buffer)[]>;

/** A value, and the number of the commit that set it. */
interface Entry {
  readonly value: Buffer;
  readonly encoding: number;
  readonly version: number;
}

/** A server of one database. */
export interface KvConnectServer extends AsyncDisposable {
  readonly url: string;
  /** Returns the number of commits that were not refused. */
  readonly commits: () => number;
}

const TOKEN = "token";
const [NUMBER, BYTES] = [2, 3];
const [DELETE, SUM] = [2, 3];
const [SUCCESS, CHECK_FAILED] = [1, 2];

/**
 * Starts a server. `isLost` gets the number of a commit, and tells whether its response is lost.
 */
export function startKvConnect(isLost: (commit: number) => boolean = () => false): KvConnectServer {
  const entries = new Map<string, Entry>();
  let version = 0;

  function readRange(range: Message): Buffer {
    const [start, end] = [bytesOf(range, 1), bytesOf(range, 2)].map((key) => key.toString("hex"));
    const keys = [...entries.keys()].filter((key) => key >= start && key < end).sort();
    if (numberOf(range, 4) === 1) keys.reverse();
    return message(
      keys.slice(0, numberOf(range, 3)).map((key) => {
        const { value, encoding, version } = entries.get(key)!;
        const fields = [
          [1, Buffer.from(key, "hex")],
          [2, value],
          [3, encoding],
          [4, stampOf(version)],
        ];
        return [1, message(fields as [number, number | Buffer][])];
      }),
    );
  }

  function read(request: Message): Buffer {
    const ranges = all(request, 1).map((range): [number, Buffer] => [1, readRange(range)]);
    return message([...ranges, [4, 1], [8, SUCCESS]]);
  }

  function write(request: Message): Buffer {
    const isCurrent = all(request, 1).every((check) => {
      const found = entries.get(bytesOf(check, 1).toString("hex"));
      return bytesOf(check, 2).equals(found ? stampOf(found.version) : Buffer.alloc(0));
    });
    if (!isCurrent) return message([[1, CHECK_FAILED]]);
    version++;
    for (const mutation of all(request, 2)) {
      const key = bytesOf(mutation, 1).toString("hex");
      const value = bytesOf(parse(bytesOf(mutation, 2)), 1);
      const type = numberOf(mutation, 3);
      if (type === DELETE) entries.delete(key);
      else if (type === SUM) {
        const sum = add(entries.get(key)?.value, value);
        entries.set(key, { value: sum, encoding: NUMBER, version });
      } else entries.set(key, { value, encoding: BYTES, version });
    }
    return message([[1, SUCCESS], [2, stampOf(version)]]);
  }

  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) {
      return new Response("Wrong token", { status: 401 });
    }
    if (pathname === "/") {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const databaseId = "11111111-2222-4333-8444-555555555555";
      const endpoints = [{ url: "/data", consistency: "strong" }];
      return Response.json({ version: 3, databaseId, endpoints, token: TOKEN, expiresAt });
    }
    const before = version;
    const body = parse(Buffer.from(await request.arrayBuffer()));
    const answer = pathname === "/data/atomic_write" ? write(body) : read(body);
    if (version > before && isLost(version)) return new Response("Lost", { status: 503 });
    return new Response(new Uint8Array(answer));
  }

  Deno.env.set("DENO_KV_ACCESS_TOKEN", TOKEN);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handle);
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    commits: () => version,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function add(before: Buffer | undefined, addend: Buffer): Buffer {
  const sum = Buffer.alloc(8);
  sum.writeBigUInt64LE(
    BigInt.asUintN(64, (before?.readBigUInt64LE() ?? 0n) + addend.readBigUInt64LE()),
  );
  return sum;
}

function stampOf(version: number): Buffer {
  const stamp = Buffer.alloc(10);
  stamp.writeBigUInt64BE(BigInt(version));
  return stamp;
}

function parse(bytes: Buffer): Message {
  const fields = new Map<number, (number | Buffer)[]>();
  let at = 0;
  function varint(): number {
    let value = 0;
    for (let factor = 1;; factor *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
  while (at < bytes.length) {
    const tag = varint();
    const number = tag >> 3;
    const isBytes = (tag & 7) === 2;
    const value = varint();
    const found = isBytes ? bytes.subarray(at, at += value) : value;
    fields.set(number, [...fields.get(number) ?? [], found]);
  }
  return fields;
}

function message(fields: readonly (readonly [number, number | Buffer])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) =>
      typeof value === "number"
        ? [varint(number << 3), varint(value)]
        : [varint(number << 3 | 2), varint(value.length), value]
    ),
  );
}

function varint(value: number): Buffer {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push(value % 128 | 128);
  return Buffer.from([...bytes, value]);
}

function all(from: Message, field: number): readonly Message[] {
  return (from.get(field) ?? []).map((value) => parse(value as Buffer));
}

function bytesOf(from: Message, field: number): Buffer {
  return from.get(field)?.[0] as Buffer ?? Buffer.alloc(0);
}

function numberOf(from: Message, field: number): number {
  return from.get(field)?.[0] as number ?? 0;
}
