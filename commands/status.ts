import { DELIVERY } from "../model/deliveries/delivery.ts";
import type { Audience, Stats } from "../model/stats.ts";
import { apiCommand } from "./api/api_command.ts";
import type { Command, Invocation } from "./shell/command.ts";
import { columnsOf } from "./api/fields.ts";
import { createTable } from "./api/table.ts";

const ATTENTION_STATUS = 1;
const TITLE_WIDTH = 14;

/** Shows how the service is. */
export const statusCommand: Command = apiCommand("status", "getStats", {
  summary: "Show how the service is, and what needs attention",
  text: (stats, invocation) => formatStats(stats as Stats, invocation),
  statusOf: ({ attention }) => (attention as Stats["attention"]).length > 0 ? ATTENTION_STATUS : 0,
  details:
    "Shows the subscribers, entries, newest deliveries, storage, worker and relay. What needs attention " +
    "comes last, and makes the exit status 1.",
  statuses: ["1  Something needs attention, too."],
  example: "boardcast status --server https://updates.example.com",
});

function formatStats(stats: Stats, { terminal }: Pick<Invocation, "terminal">): string {
  const { subscribers, audience, entries, images, deliveries, storage, attention } = stats;
  const text = line("subscribers", counted(subscribers)) +
    (audience === null ? "" : line("audience", describeAudience(audience))) +
    line("entries", counted(entries)) +
    line("images", `${images.count}, ${formatBytes(images.bytes)}`) +
    line("storage", storage.writable ? "takes writes" : "takes no writes") +
    line("worker", describeWorker(stats)) +
    line("relay", describeRelay(stats)) +
    line("webhooks", describeWebhooks(stats));
  const table = createTable(columnsOf(DELIVERY), terminal.outColumns);
  return text + (deliveries.length === 0 ? "" : `\n${table(deliveries)}`) +
    (attention.length === 0 ? "\nNothing needs attention.\n" : "\nNeeds attention:\n") +
    attention.map(({ detail }) => `- ${detail}\n`).join("");
}

function line(title: string, text: string): string {
  return `${title.padEnd(TITLE_WIDTH)}${text}\n`;
}

function formatBytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function counted(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ");
}

function describeAudience({ each, weekly, exact }: Audience): string {
  return `${exact ? "" : "about "}${counted({ "by itself": each, "in the week's mail": weekly })}`;
}

function describeWorker({ worker }: Stats): string {
  const { running, mailWaitingSeconds: mails, messageWaitingSeconds: messages } = worker;
  const place = running ? "runs" : "none in this process";
  return `${place}; ${describeWait("mails", mails)}, ${describeWait("messages", messages)}`;
}

function describeWait(what: string, seconds: number): string {
  return seconds === 0 ? `no ${what} are late` : `${what} have been due for ${seconds} s`;
}

function describeRelay({ relay, worker }: Stats): string {
  if (relay.problem !== null) return relay.problem;
  if (!worker.running) return "none in this process";
  return relay.configured ? "works as far as is known" : "none: nothing is mailed";
}

function describeWebhooks({ webhooks }: Stats): string {
  if (webhooks.length === 0) return "none fails";
  return webhooks.map(({ webhookId, host, enabled }) =>
    `${webhookId} (${host}) ${enabled ? "fails" : "is disabled"}`
  ).join(", ");
}
