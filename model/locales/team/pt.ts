import type { TeamTexts } from "./team_texts.ts";

/** The texts in Portuguese. */
export const pt: TeamTexts = {
  welcome: (title) => `Boas-vindas a ${title}`,
  invitationFor: (userName, userEmail) => `Este convite é para ${userName}, ${userEmail}.`,
  signIn: "Entrar",
  firstTitle: (title) => `Configurar ${title}`,
  firstHint:
    "Será a primeira pessoa com o papel de administrador. O seu nome aparece ao lado do que " +
    "escreve.",
  yourName: "O seu nome",
  yourAddress: "O seu endereço de e-mail",
  begin: "Começar",
  badName: "Escreva o seu nome.",
  badAddress: "Escreva um endereço de e-mail como ann@example.com.",
  linkEnded: "Este link já foi usado ou expirou",
  linkEndedHint: "Peça um novo convite a um administrador ou entre de outra forma.",
  otherWays: "Outras formas de entrar",
  noAccess: "Ainda não tem acesso",
  noAccessHint: "Peça a um administrador deste serviço que envie um convite.",
  noAddress:
    "O provedor de identidade não confirmou o seu endereço de e-mail. Fale com quem cuida " +
    "deste serviço.",
  otherIdentity: "Outra conta do provedor de identidade está ligada a este endereço. Peça a um " +
    "administrador um novo convite.",
  providerFailed: "Não foi possível entrar pelo provedor de identidade",
  providerFailedHint: "Tente de novo ou entre de outra forma.",

  codeSubject: (code, title) => `${code} é o seu código: ${title}`,
  codeText: "Escreva este código onde o pediu:",
  codeNote:
    "É válido por 10 minutos. Se não o pediu, ignore este e-mail: sem o código ninguém entra.",
  inviteSubject: (title) => `Convite: ${title}`,
  inviteText: (title) =>
    `Você recebeu um convite para a equipe de ${title}. Abra a página para entrar.`,
  inviteLink: "Aceitar o convite",
  inviteNote:
    "O link funciona uma só vez, no prazo de 7 dias. Se não esperava um convite, ignore-o.",

  digestSubject: (title) => `Esta manhã: ${title}`,
  digestHeld: (count) => `Ideias por aprovar: ${count}`,
  digestReported: (count) => `Ideias denunciadas: ${count}`,
  digestIdeas: "Ideias novas",
  digestMailings: "Envios com problemas",
  digestWebhooks: "Webhooks com problemas",
  openStudio: "Abrir o estúdio",
  digestNote: "Recebe este e-mail como membro da equipe, no máximo uma vez por dia.",
  digestSettings: "Parar este e-mail",
};
