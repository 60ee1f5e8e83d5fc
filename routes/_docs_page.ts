import { fieldRows, renderFields } from "./_docs_fields.ts";
import {
  BASE_URL_SLOT,
  type Endpoint,
  listEndpoints,
  renderEndpoint,
  renderMethod,
} from "./_docs_operation.ts";
import { DOCS_STYLE } from "./_docs_style.ts";
import { type Html, html } from "./_html.ts";
import { type MarkdownSection, renderInline, renderMarkdown } from "./_markdown.ts";
import type { OpenApi } from "./_openapi_types.ts";
import type { Schema } from "./_schemas.ts";

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
const LANGUAGES = [["curl", "curl"], ["js", "JavaScript"], ["python", "Python"]] as const;

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
  const page = html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="description" content="${api.info.summary}">
        <title>${api.info.title}</title>
        <link rel="icon" href="${ICON}">
        <style>${{ markup: DOCS_STYLE }}</style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="bar">
    <a class="brand" href="#top">${api.info.title}</a>
    ${renderLanguages()}
        </header>
        <nav aria-label="Contents">${renderContents(sections)}</nav>
        <main id="content" tabindex="-1">
    <div class="intro" id="top">
    <h1>${api.info.title}</h1>
    ${intro.content}
    <dl>
    <div><dt>Base URL</dt><dd><code>${BASE_URL_SLOT}</code></dd></div>
    <div><dt>Version</dt><dd>${api.info.version}</dd></div>
    <div><dt>For programs</dt><dd><a href="openapi.json">openapi.json</a> (OpenAPI ${api.openapi
      .slice(0, 3)})</dd></div>
    </dl>
    <p>The examples take your API key from the environment: <code>export API_KEY=…</code> once.</p>
    </div>
    ${sections.map(renderSection)}
        </main>
      </body>
    </html>
  `;
  return page.markup;
}

function renderLanguages(): Html {
  return html`<fieldset class="languages">
<legend>Examples in</legend>${
    LANGUAGES.map(([id, language], index) =>
      html`<label><input type="radio" name="language" id="in-${id}"${
        index === 0
          ? html`
            checked
          `
          : undefined
      }><span>${language}</span></label>`
    )
  }</fieldset>`;
}

function renderContents(sections: readonly Section[]): Html {
  return html`<ul>${
    sections.map(({ id, title, endpoints }) =>
      html`<li><a href="#${id}">${title}</a>${
        endpoints.length === 0
          ? undefined
          : html`<ul>${
            endpoints.map(({ method, operation }) =>
              html`<li><a href="#${operation.operationId}"><span>${operation.summary}</span>${
                renderMethod(method)
              }</a></li>`
            )
          }</ul>`
      }</li>`
    )
  }</ul>`;
}

function renderSection({ id, title, content }: Section): Html {
  return html`
    <section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title"><a href="#${id}">${title}</a></h2>
    ${content}
    </section>
  `;
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
    content: html`${content}${tables[title]?.()}`,
    endpoints: [],
  };
}

function tagSection(
  { name, description }: OpenApi["tags"][number],
  all: readonly Endpoint[],
  api: OpenApi,
): Section {
  const endpoints = all.filter(({ operation }) => operation.tags.includes(name));
  const content = html`<p>${renderInline(description)}</p>
<ul class="toc">${
    endpoints.map(({ method, operation }) =>
      html`<li><a href="#${operation.operationId}">${
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
  const content = html`<p>What answers carry. Every field is always there.</p>${
    objects.map(([name, schema]) =>
      html`
        <article id="${name}" aria-labelledby="${name}-title">
        <h3 id="${name}-title"><a href="#${name}">${name}</a></h3>
        <p>${renderInline(schema.description ?? "")}</p>
        ${renderFields("Fields", fieldRows(schema, { showRequired: false }))}
        </article>
      `
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
  return html`
    <table>
      <caption>Scopes</caption>
      <thead>
        <tr>
          <th scope="col">Scope</th>
          <th scope="col">Opens</th>
        </tr>
      </thead>
      <tbody>${[...byScope].map(([scope, opened]) =>
        html`
          <tr>
            <th scope="row"><code>${scope}</code></th>
            <td>${opened.map(({ operation }, index) =>
              html`${
                index > 0 ? " · " : ""
              }<a href="#${operation.operationId}">${operation.summary}</a>`
            )}</td>
          </tr>
        `
      )}</tbody>
    </table>
  `;
}

function renderProblems({ components }: OpenApi): Html {
  return html`
    <table>
      <caption>Codes</caption>
      <thead>
        <tr>
          <th scope="col">Status and code</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>${Object.entries(components.examples).map(([code, { summary, value }]) =>
        html`
          <tr id="${code}">
            <th scope="row">${(value as { readonly status: number }).status} <code>${breakable(
              code,
            )}</code></th>
            <td>${renderInline(summary)}</td>
          </tr>
        `
      )}</tbody>
    </table>
  `;
}

function breakable(code: string): Html {
  return html`${
    code.split("_").map((word, index) => html`${index > 0 ? html`_<wbr>` : ""}${word}`)
  }`;
}

function slug(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}
