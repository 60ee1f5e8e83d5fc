const decoder = new TextDecoder();
const DEADLINE_MS = 30_000;

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  /** The headers, by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A TCP connection for arbitrary bytes. */
export interface RawConnection extends Disposable {
  /** Sends text, each character as one byte. */
  send(text: string): Promise<void>;
  /** Reads one whole response; `undefined` if the server closed the connection instead. */
  read(): Promise<RawResponse | undefined>;
}

// RFC 9112, section 7.1: the size of a chunk in hexadecimal, then its data.
const CHUNK = /[0-9a-f]+\r\n([^]*?)(?:\r\n|$)/gi;
const LAST_CHUNK = /(?:^|\r\n)0\r\n\r\n/;

/** Opens a connection to a port of this machine. All waiting ends at a deadline. */
export async function connect(port: number): Promise<RawConnection> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  let received = "";
  let closed = false;
  function close(): void {
    if (!closed) connection.close();
    closed = true;
  }
  AbortSignal.timeout(DEADLINE_MS).addEventListener("abort", close);

  /** Reads until a condition holds; returns whether it does. */
  async function readUntil(isThere: () => boolean): Promise<boolean> {
    const chunk = new Uint8Array(65_536);
    while (!isThere()) {
      try {
        const length = await connection.read(chunk);
        if (length === null) return false;
        received += decoder.decode(chunk.subarray(0, length));
      } catch (error) {
        if (error instanceof Deno.errors.ConnectionReset) return false;
        throw new Error(`Cannot read on, after ${JSON.stringify(received)}`, { cause: error });
      }
    }
    return true;
  }

  return {
    async send(text) {
      const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
      for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
    },
    async read() {
      if (!await readUntil(() => received.includes("\r\n\r\n"))) return undefined;
      const end = received.indexOf("\r\n\r\n") + 4;
      const [statusLine, ...lines] = received.slice(0, end - 4).split("\r\n");
      const headers = new Map(lines.map((line) => {
        const [name, value] = line.split(/: *(.*)/);
        return [name.toLowerCase(), value];
      }));
      if (headers.get("transfer-encoding") === "chunked") {
        const findEnd = () => LAST_CHUNK.exec(received.slice(end));
        if (!await readUntil(() => findEnd() !== null)) return undefined;
        const { index, 0: last } = findEnd()!;
        const body = received.slice(end, end + index).replace(CHUNK, "$1");
        received = received.slice(end + index + last.length);
        return { status: Number(statusLine.split(" ")[1]), headers, body };
      }
      const length = Number(headers.get("content-length") ?? 0);
      if (!await readUntil(() => received.length >= end + length)) return undefined;
      const body = received.slice(end, end + length);
      received = received.slice(end + length);
      return { status: Number(statusLine.split(" ")[1]), headers, body };
    },
    [Symbol.dispose]: close,
  };
}

/** Sends one request on a connection of its own and reads the response. */
export async function exchange(port: number, text: string): Promise<RawResponse | undefined> {
  using connection = await connect(port);
  await connection.send(text);
  return await connection.read();
}
