import { answer, text, time } from "../../../model/declare.ts";
import { listReports, reportPosition } from "../../../services/posts/reports.ts";
import { type Operation, operation } from "../../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../../_http/page.ts";
import { POST_PATH, readPost } from "./_posts.ts";

const REPORT = answer("Report", "A visitor's complaint about a post.", {
  at: time("When it was sent."),
  reason: text("What the visitor wrote.", "It names my doctor."),
});

export const reportOperation: Operation = operation("GET", `${POST_PATH}/reports`, {
  operationId: "listReports",
  summary: "List the reports of a post",
  description:
    "Lists what visitors reported about the post, newest first. A report alone hides nothing.",
  scope: "posts:publish",
  alsoScopes: ["subscriptions:read"],
  query: ORDERED_PAGE_FIELDS,
  successes: [{ status: 200, description: "A page of reports.", page: REPORT }],
  async run(context) {
    const found = await readPost(context);
    if (typeof found === "string") return found;
    const { storage, query } = context;
    return await pageReply(query, (page) => listReports(storage, found.post, page), {
      listing: `reports-${found.post.postId}`,
      positionOf: reportPosition,
      show: ({ at, reason }) => ({ at, reason }),
    });
  },
});
