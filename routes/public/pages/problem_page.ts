import { type Texts, textsOf } from "../../../model/locales/locales.ts";
import { type Problem, PROBLEMS } from "../../_http/problem.ts";
import type { Reply } from "../../_http/reply.ts";
import { createPrivateHeaders, linkToChangelog, renderNote } from "./layout.ts";
import { HTML_TYPE, type PublicSite } from "./site.ts";

/** Makes the page that people see in place of a problem. */
export type ProblemPages = (problem: Problem) => Reply;

/** Creates what makes pages of problems. */
export async function createProblemPages(site: PublicSite): Promise<ProblemPages> {
  const pageHeaders = await createPrivateHeaders(site);
  const texts = textsOf(site.language);
  const rest = linkToChangelog(site);
  return function show({ code, headers }) {
    const [status] = PROBLEMS[code];
    const body = renderNote(site, { ...wordsFor(status, texts), rest });
    return { status, body, contentType: HTML_TYPE, headers: { ...headers, ...pageHeaders } };
  };
}

function wordsFor(status: number, texts: Texts): { title: string; hint: string } {
  if (status === 404) return { title: texts.notFound, hint: texts.notFoundHint };
  return status < 500
    ? { title: texts.unreadable, hint: texts.unreadableHint }
    : { title: texts.unavailable, hint: texts.unavailableHint };
}
