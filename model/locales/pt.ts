import type { Texts } from "./locale.ts";

// Words that are understood in Brazil and in Portugal alike.
/** The texts in Portuguese. */
export const pt: Texts = {
  about: "As novidades, da mais recente à mais antiga",
  skip: "Ir para o conteúdo",
  changelog: "Novidades",
  feeds: "Acompanhar por feed",
  labels: "Etiquetas",
  labelled: (label) => `Com a etiqueta “${label}”`,
  pages: "Páginas",
  newerEntries: "Novidades mais recentes",
  olderEntries: "Novidades anteriores",
  allEntries: "Todas as novidades",
  newerEntry: "Mais recente",
  olderEntry: "Anterior",
  readMoreAt: (host) => `Saiba mais em ${host}`,
  nothingYet: "Ainda não há nada publicado",
  nothingYetHint: "Acompanhe o feed para saber da primeira novidade.",
  nothingLabelled: "Não há novidades com esta etiqueta",
  search: "Pesquisar",
  found: (q) => `Resultados para “${q}”`,
  nothingFound: "Nada foi encontrado",
  nothingFoundHint: "Tente com menos palavras, ou com outras.",
  preview: "Esta é uma prévia. A novidade talvez ainda não esteja publicada.",

  notFound: "Não há nada aqui",
  notFoundHint: "A página pode ter sido retirada, ou o endereço não está completo.",
  unreadable: "Este endereço não funciona",
  unreadableHint: "Falta uma parte, ou ela foi alterada pelo caminho.",
  unavailable: "Não é possível mostrar esta página agora",
  unavailableHint: "Tente de novo daqui a um minuto.",
  whatIsNew: "Ver as novidades",

  signUp: "Receba as novidades por e-mail",
  signUpHint: "Um e-mail por novidade. Cancele quando quiser.",
  email: "Endereço de e-mail",
  name: "Nome (opcional)",
  subscribe: "Inscrever-se",
  leaveEmpty: "Deixe este campo vazio",
  badEmail: "Indique um endereço de e-mail como nome@example.com.",
  badName: "Indique um nome de até 200 caracteres, sem caracteres de controle.",
  lookForMail: "Veja a sua caixa de entrada",
  lookForMailHint:
    "Abra o link dele para confirmar. Se já recebeu hoje um e-mail nosso, o link dele também mostra isto. " +
    "Se nenhum chegar em alguns minutos, procure na pasta de spam.",
  confirm: "Confirme a sua inscrição",
  confirmHint: (userEmail) => `As novidades serão enviadas para ${userEmail}.`,
  confirmed: "Inscrição confirmada",
  confirmedHint:
    "Você receberá um e-mail a cada novidade. Todos têm um link para cancelar a inscrição.",
  expired: "Este link expirou",
  expiredHint: "Indique o seu endereço outra vez para receber um novo.",
  badLink: "Este link não está completo",
  badLinkHint: "Copie-o por inteiro do e-mail.",

  unsubscribe: "Cancelar inscrição",
  unsubscribeQuestion: "Não quer mais receber e-mails?",
  unsubscribeHint: "Deixaremos de enviar as novidades.",
  unsubscribed: "Inscrição cancelada",
  unsubscribedHint: "Não enviaremos mais as novidades.",
  endAsks: "Não receber mais e-mails sobre o que pedi",
  asksEnded: "Não enviaremos mais e-mails sobre o que você pediu.",
  choose: "Escolher o que recebe",
  everything: "Tudo",
  onlyLabels: "Somente novidades com uma destas etiquetas:",
  howOften: "Com que frequência",
  paceEach: "Um e-mail por novidade",
  paceWeekly: "Um e-mail por semana",
  save: "Guardar",
  saved: "A sua escolha está guardada.",
  tooManyLabels: (max) => `Demasiadas etiquetas: nada foi guardado. No máximo: ${max}`,
  noLabel: "Escolha uma etiqueta ou “Tudo”: nada foi guardado.",
  weekSoFar: "Esta semana até agora",
  weekly: (title) => `A semana em ${title}`,

  preheader: (title) => `Novidades de ${title}`,
  readOnWeb: "Ler na web",
  learnMore: "Saiba mais",
  youAsked: (day, title) => `Você pediu isto em ${day}: ${title}`,
  whyYouGetThis: (title) => `Este e-mail foi enviado porque há uma inscrição sua em ${title}.`,
  notTracked:
    "Este e-mail não tem rastreamento: ninguém fica sabendo se ele é aberto ou se os links são seguidos.",
  test: "Teste",

  confirmSubject: (title) => `Confirme a sua inscrição em ${title}`,
  confirmRequest: (title, userEmail) =>
    `Alguém, esperamos que você, pediu para receber as novidades de ${title} em ${userEmail}.`,
  confirmLink: "Confirmar inscrição",
  confirmIgnore:
    "O link vale por 7 dias. Se não foi você, ignore este e-mail: a inscrição não será feita.",
  alreadySubject: (title) => `A sua inscrição em ${title} já existe`,
  alreadyText: (title, userEmail) =>
    `Alguém, esperamos que você, pediu para receber as novidades de ${title} em ${userEmail}. ` +
    "Elas já são enviadas, não é preciso fazer nada.",

  unread: (count) => `Não lidas: ${count}`,
  close: "Fechar",
};
