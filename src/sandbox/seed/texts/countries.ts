/** The countries of the students. "|" separates entries; "display~latin" adds the Latin spelling for emails. */
export interface Country {
  readonly name: string;
  readonly first: readonly string[];
  readonly last: readonly string[];
  /** "city/state/zip"; each # of the zip becomes a digit. */
  readonly places: readonly string[];
  readonly streets: readonly string[];
  readonly dialling: string;
}

const bar = (text: string) => text.split('|');

export const countries: readonly Country[] = [
  {
    name: 'United States',
    first: bar('Olivia|Marcus|Hannah|Tyrone|Grace|Dylan|Maya|Carter|Naomi|Wesley|Ruth|Elijah|Priya|Jordan'),
    last: bar('Whitaker|Delgado|Brooks|Nakamura|Sullivan|Hayes|O’Connor|Freeman|Castillo|Lindgren|Park|Osborne'),
    places: bar('Portland/OR/972##|Austin/TX/787##|Madison/WI/537##|Asheville/NC/288##|Tucson/AZ/857##'),
    streets: bar('Maple Avenue|Harbor Street|Sycamore Lane|Mill Road|Juniper Court'),
    dialling: '+1 555 01',
  },
  {
    name: 'United Kingdom',
    first: bar('Imogen|Callum|Freya|Rhys|Aisha|Alistair|Poppy|Ewan|Siân|Niamh|Harvey|Zara'),
    last: bar('Ashworth|Pemberton|Llewellyn|Begum|Fairclough|MacLeod|Thackeray|Okafor|Wren|Hargreaves'),
    places: bar('Leeds/West Yorkshire/LS1 #AB|Bristol/Bristol/BS3 #QT|Cardiff/Cardiff/CF10 #DW|Dundee/Angus/DD1 #HL'),
    streets: bar('Canal Street|Church Lane|Victoria Terrace|Orchard Close'),
    dialling: '+44 7700 900',
  },
  {
    name: 'Brazil',
    first: bar('João|Larissa|Antônio|Débora|Caetano|Inês|Thaís|Mateus|Conceição|Luã|Beatriz|Otávio'),
    last: bar('Gonçalves|de Araújo|Magalhães|Simões|Brandão|Lourenço|Figueirêdo|Assunção|Moura'),
    places: bar('São Paulo/SP/01###-000|Belém/PA/66###-000|Florianópolis/SC/88###-000|Brasília/DF/70###-000'),
    streets: bar('Rua das Acácias|Avenida Ipê Amarelo|Travessa do Mirante'),
    dialling: '+55 11 95550 ',
  },
  {
    name: 'Germany',
    first: bar('Jürgen|Änne|Lukas|Käthe|Jörg|Friederike|Sören|Mareike|Emre|Gül|Björn|Wiebke'),
    last: bar('Müllenbach|Groß|Schäfer-Lind|Krüger|Weißhaupt|Yıldız|Böhme|Petersen|Löwenthal'),
    places: bar(
      'Köln/Nordrhein-Westfalen/506##|Leipzig/Sachsen/041##|München/Bayern/803##|Lübeck/Schleswig-Holstein/235##',
    ),
    streets: bar('Lindenstraße|Am Mühlbach|Goetheweg|Kirchgasse'),
    dialling: '+49 30 55501 ',
  },
  {
    name: 'France',
    first: bar('Zoé|François|Maëlle|Jérôme|Noémie|Loïc|Anaïs|Étienne|Hélène|Rémi|Chloé|Aurélien'),
    last: bar('Lefèvre|Beauchêne|Garçon|Moreau|D’Almeida|Saint-Clair|Rivière|Côté|Vasseur'),
    places: bar('Lyon/Auvergne-Rhône-Alpes/6900#|Nîmes/Occitanie/3000#|Orléans/Centre/4500#|Saint-Étienne/Loire/4200#'),
    streets: bar('rue des Tilleuls|avenue de la Gare|quai du Château'),
    dialling: '+33 1 99 00 ',
  },
  {
    name: 'Mexico',
    first: bar('Ximena|Andrés|Lucía|Joaquín|Itzel|Óscar|Noelia|Íñigo|Renata|Sebastián'),
    last: bar('Núñez|Ibáñez Ruiz|Quiñones|Peñaloza|Márquez|Ordóñez|Villaseñor'),
    places: bar('Mérida/Yucatán/970##|Querétaro/Querétaro/760##|León/Guanajuato/370##'),
    streets: bar('Calle del Ángel|Avenida Jacarandas|Callejón de la Peña'),
    dialling: '+52 55 5550 ',
  },
  {
    name: 'Poland',
    first: bar('Łucja|Wojciech|Małgorzata|Świętosława|Paweł|Żaneta|Michał|Agnieszka|Jędrzej'),
    last: bar('Wójcikowska|Gołąb|Żółtowski|Brzęczyk|Mądry|Świątek-Nowa|Dąbkowski'),
    places: bar('Łódź/łódzkie/90-###|Gdańsk/pomorskie/80-###|Kraków/małopolskie/30-###'),
    streets: bar('ulica Źródlana|ulica Cicha|aleja Dębowa'),
    dialling: '+48 22 555 0',
  },
  {
    name: 'Japan',
    first: bar('花子~hanako|健太~kenta|美咲~misaki|拓海~takumi|陽菜~hina|蓮~ren|さくら~sakura'),
    last: bar('佐々木~sasaki|高橋~takahashi|渡辺~watanabe|小野寺~onodera|中島~nakajima'),
    places: bar('横浜市/神奈川県/220-####|京都市/京都府/600-####|札幌市/北海道/060-####'),
    streets: bar('桜木町|みどりヶ丘|中央通り'),
    dialling: '+81 3 5550 ',
  },
  {
    name: 'India',
    first: bar('Ananya|Vikram|Meenakshi|Arjun|Farhan|Lakshmi|Rohan|Ishita|अनुराधा~anuradha|Kabir'),
    last: bar('Krishnamurthy|Bose|Patel|Fernandes|Iyer|Siddiqui|Chatterjee|Reddy'),
    places: bar('Bengaluru/Karnataka/5600##|Kochi/Kerala/6820##|Pune/Maharashtra/4110##'),
    streets: bar('MG Road|Lake View Road|Temple Street'),
    dialling: '+91 98100 0',
  },
  {
    name: 'Nigeria',
    first: bar('Chidimma|Olúwaṣeun|Tunde|Ngozi|Adébáyọ̀|Zainab|Emeka|Folásadé'),
    last: bar('Okonkwo|Adéyẹmí|Balogun|Eze|Ibrahim|Nwachukwu'),
    places: bar('Lagos/Lagos/1002##|Ibadan/Oyo/2002##|Enugu/Enugu/4001##'),
    streets: bar('Marina Road|Palm Grove|Unity Close'),
    dialling: '+234 803 000 ',
  },
  {
    name: 'Ukraine',
    first: bar('Оксана~oksana|Тарас~taras|Соломія~solomiia|Богдан~bohdan|Мар’яна~mariana|Андрій~andrii'),
    last: bar('Гончаренко~honcharenko|Левченко~levchenko|Бондар~bondar|Їжак~yizhak'),
    places: bar('Львів/Львівська область/79###|Одеса/Одеська область/65###'),
    streets: bar('вулиця Липова|вулиця Садова'),
    dialling: '+380 44 000 ',
  },
  {
    name: 'Vietnam',
    first: bar('Thảo|Minh|Hương|Đức|Ngọc|Quỳnh'),
    last: bar('Nguyễn|Trần|Phạm|Đặng|Võ'),
    places: bar('Đà Nẵng/Đà Nẵng/55####|Huế/Thừa Thiên Huế/53####'),
    streets: bar('đường Hoa Sen|đường Trần Phú'),
    dialling: '+84 90 000 ',
  },
];
