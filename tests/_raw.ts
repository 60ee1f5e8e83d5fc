const decoder = new TextDecoder();
const DEADLINE_MS = 10_000;

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A TCP connection on which anything can be sent. */
export interface RawConnection extends Disposable {
  /** Sends text, each character as one byte. */
  send(text: string): Promise<void>;
  /** Reads one whole response; `undefined` if the server closed the connection instead. */
  read(options?: { readonly head?: boolean }): Promise<RawResponse | undefined>;
}

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

  /** Reads on; returns whether there was more. */
  async function readMore(): Promise<boolean> {
    const chunk = new Uint8Array(65_536);
    try {
      const length = await connection.read(chunk);
      received += decoder.decode(chunk.subarray(0, length ?? 0));
      return length !== null;
    } catch (error) {
      if (error instanceof Deno.errors.ConnectionReset) return false;
      throw new Error(`Cannot read on, after ${JSON.stringify(received)}`, { cause: error });
    }
  }

  async function read({ head = false } = {}): Promise<RawResponse | undefined> {
    while (!received.includes("\r\n\r\n")) if (!await readMore()) return undefined;
    const end = received.indexOf("\r\n\r\n");
    const [statusLine, ...lines] = received.slice(0, end).split("\r\n");
    received = received.slice(end + 4);
    const headers = new Map(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const length = head ? 0 : Number(headers.get("content-length") ?? 0);
    while (received.length < length) if (!await readMore()) return undefined;
    const body = received.slice(0, length);
    received = received.slice(length);
    return { status: Number(statusLine.split(" ")[1]), headers, body };
  }

  return {
    async send(text) {
      const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
      for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
    },
    read,
    [Symbol.dispose]: close,
  };
}

/** Sends one request on a connection of its own and reads the response. */
export async function exchange(port: number, text: string): Promise<RawResponse | undefined> {
  using connection = await connect(port);
  await connection.send(text);
  return await connection.read({ head: text.startsWith("HEAD ") });
}
