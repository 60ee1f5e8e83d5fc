import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { AddressInfo } from "node:net";
import { Buffer } from "node:buffer";

/** A relay of the package smtp-server. */
export type SmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;

/** Starts a relay that accepts every mail and login unless the options say otherwise. */
export async function startSmtpServer(options: SMTPServerOptions) {
  const received: {
    readonly from: string;
    readonly to: string;
    readonly message: string;
    readonly isSecure: boolean;
    /** The user of the login; empty for none. */
    readonly user: string;
    /** The time at which the message was complete, by the monotonic clock. */
    readonly atMs: number;
  }[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 1,
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onConnect(_session, done) {
      connections++;
      done();
    },
    onData(stream, { envelope, secure, user }, done) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.once("end", () => {
        const { mailFrom, rcptTo: [{ address: to }] } = envelope;
        const message = Buffer.concat(chunks).toString("latin1");
        const atMs = performance.now();
        const from = mailFrom === false ? "" : mailFrom.address;
        received.push({ from, to, message, isSecure: secure, user: `${user || ""}`, atMs });
        done(null);
      });
    },
    ...options,
  });
  // Clients that hang up or don't trust the certificate.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    /** The accepted mails, in order. */
    received,
    /** The number of connections so far. */
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
