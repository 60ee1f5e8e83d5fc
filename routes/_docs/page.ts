import { fieldRows, renderFields } from "./fields.ts";
import {
  BASE_URL_SLOT,
  type Endpoint,
  listEndpoints,
  renderEndpoint,
  renderMethod,
  renderSamples,
} from "./operation.ts";
import { LANGUAGES } from "./samples.ts";
import { DOCS_STYLE } from "./style.ts";
import { type Html, markup, separate } from "../_html.ts";
import { type MarkdownSection, renderInline, renderMarkdown } from "./markdown.ts";
import type { OpenApi } from "../_openapi/types.ts";
import type { Schema } from "../_openapi/schema.ts";

/** A part of the page that the contents list. */
interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
  readonly endpoints: readonly Endpoint[];
}

const ICON = "data:image/svg+xml," + encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#b5401f"/><path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>`,
);
// The operations whose calls stand at the top.
const FIRST_CALLS: readonly string[] = ["getBoard", "putSubscription"];

/**
 * Renders the reference page of a description. `{base_url}` stands in it for the URL under which
 * the reader reaches the server.
 */
export function renderDocsPage(api: OpenApi): string {
  const [intro, ...guide] = renderMarkdown(api.info.description);
  const endpoints = listEndpoints(api);
  const sections = [
    ...guide.map((section) => guideSection(section, endpoints, api)),
    ...api.tags.map((tag) => tagSection(tag, endpoints, api)),
    objectsSection(api),
  ];
  const page = markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${api.info.summary}">
<title>${api.info.title}</title>
<link rel="icon" href="${ICON}">
<style>${{ html: DOCS_STYLE }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="brand" href="#top">${api.info.title}</a>
${renderLanguages()}
</header>
<nav aria-label="Contents">${renderContents(sections)}</nav>
<main id="content" tabindex="-1">
<div class="intro columns" id="top">
<div>
<h1>${api.info.title}</h1>
${intro.content}
<dl>
<div><dt>Base URL</dt><dd><code>${BASE_URL_SLOT}</code></dd></div>
<div><dt>Version</dt><dd>${api.info.version}</dd></div>
<div><dt>For programs</dt><dd><a href="openapi.json">openapi.json</a> (OpenAPI 3.1)</dd></div>
</dl>
<p>The examples take your API key from the environment: <code>export KEY=…</code> once.</p>
</div>
<div class="examples">${
    endpoints.filter(({ operation }) => FIRST_CALLS.includes(operation.operationId))
      .map((endpoint) => renderSamples(endpoint, api))
  }</div>
</div>
${sections.map(renderSection)}
</main>
</body>
</html>
`;
  return page.html;
}

function renderLanguages(): Html {
  return markup`<fieldset class="languages">
<legend>Examples in</legend>${
    LANGUAGES.map(({ id, language }, index) =>
      markup`<label><input type="radio" name="language" id="in-${id}"${
        index === 0 ? markup` checked` : ""
      }><span>${language}</span></label>`
    )
  }</fieldset>`;
}

function renderContents(sections: readonly Section[]): Html {
  return markup`<ul>${
    sections.map(({ id, title, endpoints }) =>
      endpoints.length === 0
        ? markup`<li><a href="#${id}">${title}</a></li>`
        : markup`<li class="group"><a href="#${id}">${title}</a><ul>${
          endpoints.map(({ method, operation }) =>
            markup`<li><a href="#${operation.operationId}"><span>${operation.summary}</span>${
              renderMethod(method)
            }</a></li>`
          )
        }</ul></li>`
    )
  }</ul>`;
}

function renderSection({ id, title, content }: Section): Html {
  return markup`
<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a href="#${id}">${title}</a></h2>
${content}
</section>`;
}

function guideSection(
  { title, content }: MarkdownSection,
  endpoints: readonly Endpoint[],
  api: OpenApi,
): Section {
  const tables: Readonly<Record<string, () => Html>> = {
    Authentication: () => renderScopes(endpoints),
    Problems: () => renderProblems(api),
  };
  return {
    id: slug(title),
    title,
    content: markup`${content}${tables[title]?.()}`,
    endpoints: [],
  };
}

function tagSection(
  { name, description }: OpenApi["tags"][number],
  all: readonly Endpoint[],
  api: OpenApi,
): Section {
  const endpoints = all.filter(({ operation }) => operation.tags.includes(name));
  const content = markup`<p>${renderInline(description)}</p>
<ul class="toc">${
    endpoints.map(({ method, operation }) =>
      markup`<li><a href="#${operation.operationId}">${
        renderMethod(method)
      } ${operation.summary}</a></li>`
    )
  }</ul>
${endpoints.map((endpoint) => renderEndpoint(endpoint, api))}`;
  return { id: slug(name), title: name, content, endpoints };
}

function objectsSection({ components }: OpenApi): Section {
  const objects = Object.entries<Schema>(components.schemas)
    .filter(([, schema]) => schema.properties !== undefined);
  // Without the names of the required ones: a mark on all of them would say nothing.
  const content = markup`<p>What answers carry. Every field is always there.</p>${
    objects.map(([name, { description = "", properties }]) =>
      markup`
<article id="${name}" aria-labelledby="${name}-title">
<h3 id="${name}-title"><a href="#${name}">${name}</a></h3>
<p>${renderInline(description)}</p>
${renderFields("Fields", fieldRows({ properties }))}
</article>`
    )
  }`;
  return { id: "objects", title: "Objects", content, endpoints: [] };
}

function renderScopes(endpoints: readonly Endpoint[]): Html {
  const byScope = new Map<string, readonly Endpoint[]>();
  for (const endpoint of endpoints) {
    const scope = endpoint.operation["x-scope"];
    if (scope !== undefined) byScope.set(scope, [...byScope.get(scope) ?? [], endpoint]);
  }
  const link = ({ operation }: Endpoint) =>
    markup`<a href="#${operation.operationId}">${operation.summary}</a>`;
  return markup`<table>
<caption>Scopes</caption>
<thead><tr><th scope="col">Scope</th><th scope="col">Opens</th></tr></thead>
<tbody>${
    [...byScope].map(([scope, opened]) =>
      markup`
<tr>
<th scope="row"><code>${breakable(scope)}</code></th>
<td>${separate(" · ", opened.map(link))}</td>
</tr>`
    )
  }</tbody>
</table>`;
}

function renderProblems({ components }: OpenApi): Html {
  return markup`<table>
<caption>Codes</caption>
<thead><tr><th scope="col">Status and code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${
    Object.entries(components.examples).map(([code, { summary, value }]) =>
      markup`
<tr id="${code}">
<th scope="row">${(value as { readonly status: number }).status} <code>${
        breakable(code)
      }</code></th>
<td>${renderInline(summary)}</td>
</tr>`
    )
  }</tbody>
</table>`;
}

// A long code may be broken behind its punctuation.
function breakable(code: string): Html {
  return markup`${code.split(/(?<=[_:])/).map((part) => markup`${part}<wbr>`)}`;
}

function slug(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}
