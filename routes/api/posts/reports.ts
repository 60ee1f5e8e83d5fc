import type { ListQuery } from "../../../adapters/storage.ts";
import { REPORT, type Report, type ShownReport } from "../../../model/posts/report.ts";
import { showRecord } from "../../../model/resource.ts";
import { listReports, removeReports, reportPosition } from "../../../services/posts/reports.ts";
import { type Operation, operation } from "../../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../../_http/page.ts";
import { POST_PATH, readPost, TEAM_SCOPE } from "./_posts.ts";

const REPORTS_PATH = `${POST_PATH}/reports`;
const SCOPES = { scope: TEAM_SCOPE, alsoScopes: ["subscriptions:read"] } as const;

/** The operations on the reports of a post. */
export const operations = (): readonly Operation[] => [
  operation("GET", REPORTS_PATH, {
    ...SCOPES,
    operationId: "listReports",
    summary: "List the reports of a post",
    description:
      "Lists what visitors reported about the post, newest first. A report alone hides nothing.",
    query: ORDERED_PAGE_FIELDS,
    successes: [{ status: 200, description: "A page of reports.", page: REPORT }],
    async run(context) {
      const found = await readPost(context);
      if (typeof found === "string") return found;
      const { storage, query, now } = context;
      const list = (page: ListQuery) =>
        listReports(storage, found.post, { ...page, now: now.text });
      return await pageReply(query, list, {
        listing: `reports-${found.post.postId}`,
        positionOf: reportPosition,
        show: (report) => showRecord<Report, ShownReport>(REPORT, report, {}),
      });
    },
  }),
  operation("DELETE", REPORTS_PATH, {
    ...SCOPES,
    operationId: "deleteReports",
    summary: "Delete the reports of a post",
    description: "Says that the team has dealt with them. New reports are kept again.",
    successes: [{ status: 204, description: "The post has no reports." }],
    async run(context) {
      const found = await readPost(context);
      if (typeof found === "string") return found;
      await removeReports(context.storage, found.post);
      return { status: 204 };
    },
  }),
];
