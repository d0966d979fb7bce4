//! Reads the part of AMPL in which migopt writes, and evaluates it at points.

use itertools::Itertools;
use std::collections::BTreeMap;

/// An indexed thing by its name and its subscripts.
pub type Key = (String, Vec<String>);

/// Values of variables.
pub type Point = BTreeMap<Key, f64>;

type Bindings = BTreeMap<String, String>;

/// A model with its data.
#[derive(Default)]
pub struct Model {
    /// Elements, tuples of names or numbers.
    sets: BTreeMap<Key, Vec<Vec<String>>>,
    ranges: BTreeMap<String, (Expression, Expression)>,
    ordered: String,
    /// Numbers of subscripts.
    arities: BTreeMap<String, usize>,
    defaults: BTreeMap<String, Expression>,
    parameters: BTreeMap<Key, f64>,
    variables: Vec<(String, Domain)>,
    objectives: Vec<(String, Expression)>,
    rows: Vec<(String, Domain, Expression)>,
}

#[derive(Clone, Debug, Default)]
struct Domain {
    /// Dummies, and the set that they run through.
    parts: Vec<(Vec<String>, SetReference)>,
    condition: Option<Box<Expression>>,
}

#[derive(Clone, Debug)]
struct SetReference(String, Vec<Expression>);

#[derive(Clone, Debug)]
enum Expression {
    Number(f64),
    Name(String, Vec<Expression>),
    Card(SetReference),
    Ord(Box<Expression>),
    Prev(Box<Expression>),
    Sum(Domain, Box<Expression>),
    Product(Domain, Box<Expression>),
    Binary(String, Box<[Expression; 2]>),
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Number(f64),
    Sign(String),
}

fn tokens(text: &str) -> Vec<Token> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let run = |from: usize, belongs: &dyn Fn(usize) -> bool| {
            (from..characters.len()).find(|&index| !belongs(index)).unwrap_or(characters.len())
        };
        let begin = at;
        match characters[at] {
            '#' => at = run(at, &|index| characters[index] != '\n'),
            space if space.is_whitespace() => at += 1,
            '\'' => {
                at = run(at + 1, &|index| characters[index] != '\'') + 1;
                tokens.push(Token::Text(characters[begin + 1..at - 1].iter().collect()));
            }
            digit if digit.is_ascii_digit() => {
                let is_point = |index: usize| {
                    characters[index] == '.' && characters.get(index + 1).is_some_and(char::is_ascii_digit)
                };
                at = run(at, &|index| characters[index].is_ascii_digit() || is_point(index));
                let digits: String = characters[begin..at].iter().collect();
                tokens.push(Token::Number(digits.parse().unwrap()));
            }
            letter if letter.is_ascii_alphabetic() => {
                at = run(at, &|index| characters[index].is_ascii_alphanumeric());
                tokens.push(Token::Word(characters[begin..at].iter().collect()));
            }
            sign => {
                let pair: String = characters[at..].iter().take(2).collect();
                let is_pair = [":=", "<=", ">=", ".."].contains(&pair.as_str());
                tokens.push(Token::Sign(if is_pair { pair } else { sign.to_string() }));
                at += if is_pair { 2 } else { 1 };
            }
        }
    }
    tokens
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn next(&mut self) -> Token {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn is(&self, expected: &str) -> bool {
        match self.tokens.get(self.at) {
            Some(Token::Word(text) | Token::Sign(text)) => text == expected,
            _ => false,
        }
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = self.is(expected);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, expected: &str) {
        assert!(self.take(expected), "{expected} is missing before {:?}", &self.tokens[self.at..]);
    }

    fn word(&mut self) -> String {
        match self.next() {
            Token::Word(word) => word,
            other => panic!("{other:?} is no name"),
        }
    }

    fn element(&mut self) -> String {
        match self.next() {
            Token::Text(text) => text,
            Token::Number(number) => number.to_string(),
            other => panic!("{other:?} is no element"),
        }
    }

    fn number(&mut self) -> f64 {
        match self.next() {
            Token::Number(number) => number,
            other => panic!("{other:?} is no number"),
        }
    }

    fn subscripts(&mut self) -> Vec<Expression> {
        let mut subscripts = Vec::new();
        if self.take("[") {
            subscripts.push(self.sum());
            while self.take(",") {
                subscripts.push(self.sum());
            }
            self.expect("]");
        }
        subscripts
    }

    fn set_reference(&mut self) -> SetReference {
        SetReference(self.word(), self.subscripts())
    }

    /// `{j in VMS, (j,k) in PAIRS, SERVERS: condition}`, or nothing.
    fn domain(&mut self) -> Domain {
        let mut domain = Domain::default();
        if !self.take("{") {
            return domain;
        }
        loop {
            let mut dummies = Vec::new();
            if self.take("(") {
                dummies.push(self.word());
                while self.take(",") {
                    dummies.push(self.word());
                }
                self.expect(")");
            } else if self.tokens[self.at + 1] == Token::Word("in".to_owned()) {
                dummies.push(self.word());
            }
            if !dummies.is_empty() {
                self.expect("in");
            }
            domain.parts.push((dummies, self.set_reference()));
            if !self.take(",") {
                break;
            }
        }
        if self.take(":") {
            domain.condition = Some(Box::new(self.comparison()));
        }
        self.expect("}");
        domain
    }

    fn comparison(&mut self) -> Expression {
        let left = self.sum();
        self.binary(left, &["<=", ">=", "=", "<", ">"], Parser::sum)
    }

    fn sum(&mut self) -> Expression {
        let left = self.product();
        self.binary(left, &["+"], Parser::product)
    }

    fn product(&mut self) -> Expression {
        let left = self.power();
        self.binary(left, &["*"], Parser::power)
    }

    fn power(&mut self) -> Expression {
        let left = self.primary();
        self.binary(left, &["^"], Parser::primary)
    }

    fn binary(
        &mut self,
        mut left: Expression,
        signs: &[&str],
        operand: fn(&mut Parser) -> Expression,
    ) -> Expression {
        while let Some(sign) = signs.iter().find(|sign| self.is(sign)) {
            self.at += 1;
            left = Expression::Binary((*sign).to_owned(), Box::new([left, operand(self)]));
        }
        left
    }

    fn primary(&mut self) -> Expression {
        if self.take("(") {
            let negative = self.take("-");
            let inner = self.sum();
            self.expect(")");
            return match negative {
                true => Expression::Binary("*".to_owned(), Box::new([Expression::Number(-1.0), inner])),
                false => inner,
            };
        }
        if let Token::Number(number) = self.tokens[self.at] {
            self.at += 1;
            return Expression::Number(number);
        }
        let name = self.word();
        match name.as_str() {
            // The operators of sums and products bind less than multiplication and more than addition.
            "sum" => Expression::Sum(self.domain(), Box::new(self.product())),
            "prod" => Expression::Product(self.domain(), Box::new(self.product())),
            "card" | "ord" | "prev" => {
                self.expect("(");
                let call = match name.as_str() {
                    "card" => Expression::Card(self.set_reference()),
                    "ord" => Expression::Ord(Box::new(self.sum())),
                    _ => Expression::Prev(Box::new(self.sum())),
                };
                self.expect(")");
                call
            }
            "Infinity" => Expression::Number(f64::INFINITY),
            _ => Expression::Name(name, self.subscripts()),
        }
    }
}

impl Model {
    /// Reads a text; whatever it does not understand is a failure.
    pub fn parse(text: &str) -> Model {
        let mut parser = Parser { tokens: tokens(text), at: 0 };
        let mut model = Model::default();
        while !parser.take("data") {
            model.declaration(&mut parser);
            parser.expect(";");
        }
        parser.expect(";");
        while parser.at < parser.tokens.len() {
            model.data(&mut parser);
            parser.expect(";");
        }
        model
    }

    fn declaration(&mut self, parser: &mut Parser) {
        let kind = parser.word();
        if kind == "subject" {
            parser.expect("to");
        }
        let name = parser.word();
        let domain = parser.domain();
        match kind.as_str() {
            "set" => {
                if parser.take("ordered") {
                    self.ordered = name.clone();
                }
                if parser.take("within") && parser.domain().parts.is_empty() {
                    parser.word();
                }
                if parser.take(":=") {
                    let first = parser.sum();
                    parser.expect("..");
                    self.ranges.insert(name, (first, parser.sum()));
                }
            }
            "param" => {
                self.arities.insert(name.clone(), domain.parts.len());
                parser.take("integer");
                if parser.take(">=") {
                    parser.number();
                }
                parser.take(",");
                if parser.take("default") {
                    self.defaults.insert(name, parser.sum());
                }
            }
            "var" => {
                parser.expect("binary");
                self.variables.push((name, domain));
            }
            "minimize" => {
                parser.expect(":");
                self.objectives.push((name, parser.sum()));
            }
            "subject" => {
                parser.expect(":");
                self.rows.push((name, domain, parser.comparison()));
            }
            other => panic!("{other} begins no declaration"),
        }
    }

    fn data(&mut self, parser: &mut Parser) {
        let kind = parser.word();
        let name = parser.word();
        let mut subscripts = Vec::new();
        if parser.take("[") {
            subscripts.push(parser.element());
            parser.expect("]");
        }
        parser.expect(":=");
        let mut elements = Vec::new();
        while !parser.is(";") {
            if kind == "param" {
                let subscripts = (0..self.arities[&name]).map(|_| parser.element()).collect();
                let before = self.parameters.insert((name.clone(), subscripts), parser.number());
                assert_eq!(before, None, "{name} is given twice");
            } else if parser.take("(") {
                let first = parser.element();
                parser.expect(",");
                elements.push(vec![first, parser.element()]);
                parser.expect(")");
            } else {
                elements.push(vec![parser.element()]);
            }
        }
        if kind == "set" {
            self.sets.insert((name, subscripts), elements);
        }
    }

    /// All variables, which are binary.
    pub fn variables(&self) -> Vec<Key> {
        let keys = |(name, domain): &(String, Domain)| {
            let sets = domain.parts.iter().map(|(_, set)| self.elements(set, &Bindings::new()));
            let subscripts = sets.multi_cartesian_product();
            subscripts.map(|subscripts| (name.clone(), subscripts.concat())).collect_vec()
        };
        self.variables.iter().flat_map(keys).collect()
    }

    /// The objectives, all to be minimised, at a point.
    pub fn objectives(&self, point: &Point) -> Vec<(&str, f64)> {
        let value = |expression| self.value(expression, point, &Bindings::new());
        self.objectives.iter().map(|(name, expression)| (name.as_str(), value(expression))).collect()
    }

    /// The first row that a point breaks.
    pub fn broken(&self, point: &Point) -> Option<&str> {
        let holds = |(_, domain, row): &&(String, Domain, Expression)| {
            self.bindings(domain, point, &Bindings::new())
                .iter()
                .all(|bindings| self.value(row, point, bindings) == 1.0)
        };
        self.rows.iter().find(|row| !holds(row)).map(|(name, ..)| name.as_str())
    }

    /// How many rows a family has.
    pub fn rows(&self, name: &str) -> usize {
        let domain = &self.rows.iter().find(|row| row.0 == name).expect("a row").1;
        self.bindings(domain, &Point::new(), &Bindings::new()).len()
    }

    fn elements(
        &self,
        SetReference(name, subscripts): &SetReference,
        bindings: &Bindings,
    ) -> Vec<Vec<String>> {
        let value = |expression| self.value(expression, &Point::new(), bindings) as i64;
        if let Some((first, last)) = self.ranges.get(name) {
            return (value(first)..=value(last)).map(|number| vec![number.to_string()]).collect();
        }
        let subscripts = subscripts.iter().map(|subscript| self.element(subscript, bindings)).collect();
        self.sets[&(name.clone(), subscripts)].clone()
    }

    fn bindings(&self, domain: &Domain, point: &Point, outer: &Bindings) -> Vec<Bindings> {
        let mut all = vec![outer.clone()];
        for (dummies, set) in &domain.parts {
            let mut extended = Vec::new();
            for bindings in &all {
                for element in self.elements(set, bindings) {
                    assert_eq!(dummies.len(), element.len(), "{set:?}");
                    let mut bindings = bindings.clone();
                    bindings.extend(dummies.iter().cloned().zip(element));
                    extended.push(bindings);
                }
            }
            all = extended;
        }
        if let Some(condition) = &domain.condition {
            all.retain(|bindings| self.value(condition, point, bindings) == 1.0);
        }
        all
    }

    fn element(&self, expression: &Expression, bindings: &Bindings) -> String {
        match expression {
            Expression::Name(name, subscripts) if subscripts.is_empty() => bindings[name].clone(),
            Expression::Prev(next) => {
                let servers = &self.sets[&(self.ordered.clone(), Vec::new())];
                servers[self.position(next, bindings) - 1][0].clone()
            }
            other => panic!("{other:?} is no element"),
        }
    }

    /// The position, from 0, in the ordered set.
    fn position(&self, expression: &Expression, bindings: &Bindings) -> usize {
        let element = self.element(expression, bindings);
        let all = &self.sets[&(self.ordered.clone(), Vec::new())];
        all.iter().position(|other| other[0] == element).expect("an element of the ordered set")
    }

    /// The value; 1 or 0 for a comparison.
    fn value(&self, expression: &Expression, point: &Point, bindings: &Bindings) -> f64 {
        let of_all = |domain: &Domain, operand: &Expression| -> Vec<f64> {
            let all = self.bindings(domain, point, bindings);
            all.iter().map(|bindings| self.value(operand, point, bindings)).collect()
        };
        match expression {
            Expression::Number(number) => *number,
            Expression::Card(set) => self.elements(set, bindings).len() as f64,
            Expression::Ord(element) => self.position(element, bindings) as f64 + 1.0,
            Expression::Prev(_) => panic!("an element is no number"),
            Expression::Sum(domain, operand) => of_all(domain, operand).iter().sum(),
            Expression::Product(domain, operand) => of_all(domain, operand).iter().product(),
            Expression::Name(name, subscripts) => {
                let subscripts = subscripts.iter().map(|subscript| self.element(subscript, bindings));
                let key = (name.clone(), subscripts.collect());
                let given = point.get(&key).or_else(|| self.parameters.get(&key)).copied();
                given.unwrap_or_else(|| self.value(&self.defaults[name], point, bindings))
            }
            Expression::Binary(sign, operands) => {
                let [left, right] = operands.each_ref().map(|operand| self.value(operand, point, bindings));
                // Of 0.35 + 0.35 + 0.35 and 1.05, neither is what it should be.
                let slack = 1e-9 * left.abs().max(1.0);
                match sign.as_str() {
                    "+" => left + right,
                    "*" => left * right,
                    "^" => left.powf(right),
                    "<=" => f64::from(left <= right + slack),
                    ">=" => f64::from(left >= right - slack),
                    "=" => f64::from((left - right).abs() <= slack),
                    "<" => f64::from(left < right),
                    _ => f64::from(left > right),
                }
            }
        }
    }
}
