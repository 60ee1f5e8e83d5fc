/**
 * Measures how many mails a second are sent over TLS to a relay that forgets them, ten at a time,
 * beside the pool of nodemailer.
 *
 *     deno run --allow-all bench/mail.ts [ROUNDS] [SECONDS]
 */
import { createServer } from "node:tls";
import type { AddressInfo } from "node:net";
import { createTransport } from "nodemailer";
import { type Mail, type Mailer, MailerError } from "../delivery/mailer.ts";
import { openSmtpMailer } from "../delivery/smtp.ts";
import { createNodemailerMailer } from "../docs/examples/nodemailer_mailer.ts";
import { makeCertificate } from "../tests/_certificate.ts";
import { alternate, createSamples } from "./_rounds.ts";
import { figure, table } from "./_table.ts";

const LANES = 10;
const PARAGRAPH = "The settings have a dark mode now – press D, or take it from the system. "
  .repeat(4);

if (Deno.args[0] === "relay") runRelay(Deno.args[1], Deno.args[2]);
else await compare(Number(Deno.args[0] ?? "5"), Number(Deno.args[1] ?? "3"));

async function compare(rounds: number, seconds: number): Promise<void> {
  const { ca, cert, key } = await makeCertificate();
  // In a process of its own, so that the time of the sender is measured.
  const relay = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", import.meta.filename!, "relay", cert, key],
    stdout: "piped",
  }).spawn();
  const reader = relay.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const port = Number((await reader.read()).value);
  const transport = createTransport({
    ...{ host: "localhost", port, secure: true, tls: { ca }, pool: true },
    ...{ maxConnections: LANES, maxMessages: Infinity },
  });
  const contenders = [
    { name: "Boardcast", mailer: openSmtpMailer(`smtps://localhost:${port}`, { tls: { ca } }) },
    { name: "nodemailer, pool", mailer: createNodemailerMailer(transport) },
  ];
  const samples = createSamples();
  for (const { mailer } of contenders) await measure(mailer, 1);
  for (const { name, mailer } of alternate(contenders, rounds)) {
    samples.add(name, await measure(mailer, seconds));
  }
  for (const { mailer } of contenders) await mailer.close();
  relay.kill();
  await relay.status;
  const rows = contenders.map(({ name }) => [
    name,
    figure(samples.median(name)),
    figure(samples.ratio(name, contenders[1].name), 2),
  ]);
  console.log(table([`${LANES} at a time, TLS`, "mails/s", "of nodemailer's"], rows));
}

/** Sends mails for a time, and returns how many a second were sent. */
async function measure(mailer: Mailer, seconds: number): Promise<number> {
  const started = performance.now();
  let sent = 0;
  await Promise.all(Array.from({ length: LANES }, async () => {
    while (performance.now() - started < seconds * 1_000) {
      const { state } = await mailer.send(createMail(sent++));
      if (state !== "sent") throw new MailerError(`A mail was ${state}`);
    }
  }));
  return sent / (performance.now() - started) * 1_000;
}

function createMail(number: number): Mail {
  const link = `https://example.com/unsubscribe/${number}`;
  const paragraphs = Array.from({ length: 8 }, () => PARAGRAPH);
  return {
    from: { name: "Example", address: "news@example.com" },
    to: `user${number}@example.com`,
    subject: "Dark mode – at last",
    text: `${paragraphs.join("\n\n")}\n\n${link}\n`,
    html: `<p>${paragraphs.join("</p>\n<p>")}</p>\n<p><a href="${link}">Unsubscribe</a></p>\n`,
    messageId: `<dark-mode.${number}@example.com>`,
    headers: { "List-Unsubscribe": `<${link}>` },
  };
}

/** Takes mails and forgets them, as fast as it can. */
function runRelay(cert: string, key: string): void {
  const server = createServer({ cert, key }, (socket) => {
    let unread = "";
    let isMessage = false;
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.write("220 relay\r\n");
    socket.on("data", (chunk) => {
      unread += chunk.toString("latin1");
      let answer = "";
      for (let end; (end = unread.indexOf(isMessage ? "\r\n.\r\n" : "\r\n")) >= 0;) {
        const verb = unread.slice(0, 4);
        unread = unread.slice(end + (isMessage ? 5 : 2));
        isMessage = !isMessage && verb === "DATA";
        answer += isMessage
          ? "354 go\r\n"
          : verb === "EHLO"
          ? "250-relay\r\n250 PIPELINING\r\n"
          : "250 ok\r\n";
      }
      if (answer !== "") socket.write(answer);
    });
  });
  server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
}
