import { type AddressInfo, createServer, type Socket } from "node:net";

/** A relay without TLS that takes every mail, and keeps a ledger of those that it took. */
export interface SmtpSink extends AsyncDisposable {
  readonly port: number;
  /** The URL for a mailer. */
  readonly url: string;
  /** Whom it took mail for, in this order. */
  readonly ledger: readonly string[];
  /** How many connections are open. */
  readonly open: number;
  /** Resolves when it has taken so many mails. */
  reached(count: number): Promise<void>;
}

/** Starts a sink. */
export async function startSmtpSink(): Promise<SmtpSink> {
  const ledger: string[] = [];
  const sockets = new Set<Socket>();
  let waiting: { readonly count: number; resolve(): void }[] = [];

  function take(to: string): void {
    ledger.push(to);
    if (waiting.every(({ count }) => count > ledger.length)) return;
    waiting = waiting.filter(({ count, resolve }) => count > ledger.length || resolve());
  }

  const server = createServer((socket) => {
    let unread = "";
    let to = "";
    let isInMessage = false;
    sockets.add(socket);
    // Of processes that are killed.
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.write("220 sink\r\n");
    socket.on("data", (chunk: string) => {
      unread += chunk;
      let replies = "";
      for (let end; (end = unread.indexOf("\r\n")) >= 0;) {
        const line = unread.slice(0, end);
        unread = unread.slice(end + 2);
        if (isInMessage) {
          if (line !== ".") continue;
          isInMessage = false;
          take(to);
          replies += "250 taken\r\n";
        } else if (line.startsWith("EHLO")) replies += "250-sink\r\n250 PIPELINING\r\n";
        else if (line === "DATA") {
          isInMessage = true;
          replies += "354 go\r\n";
        } else if (line === "QUIT") socket.end("221 bye\r\n");
        else {
          to = /^RCPT TO:<(.*)>/.exec(line)?.[1] ?? to;
          replies += "250 ok\r\n";
        }
      }
      if (replies !== "" && !socket.destroyed) socket.write(replies);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}?tls=off`,
    ledger,
    get open() {
      return sockets.size;
    },
    reached: (count) =>
      new Promise((resolve) => {
        if (ledger.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
