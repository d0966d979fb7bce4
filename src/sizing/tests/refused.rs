//! Questions that make no sense.

use crate::{Addition, Unknown, cases};
use ground::Amount;
use models::Instance;

#[test]
fn unknown_profiles_and_boards_are_named_with_what_there_is() {
    let text = "name: load\ngpus: [{name: g, board: A100-40GB}]\nworkloads: [{name: w, profile: 1g.5gb}]\n";
    let instance = Instance::from_yaml(text).unwrap();
    let more = |profile: &str| Addition { profile: profile.to_owned(), count: 1 };
    let refused = cases(&instance, &[more("5g.20gb")], &[]).unwrap_err();
    let Unknown::Profile(told) = refused else { panic!("{refused:?}") };
    assert!(told.contains("\"5g.20gb\"") && told.contains("3g.20gb"), "{told}");
    let refused = cases(&instance, &[], &[("A40".to_owned(), Amount::ONE)]).unwrap_err();
    let Unknown::Board(told) = refused else { panic!("{refused:?}") };
    assert!(told.contains("\"A40\"") && told.contains("A100-40GB"), "{told}");
    assert!(cases(&instance, &[more("nvidia.com/mig-3g.20gb")], &[]).is_ok());
    assert!(cases(&instance, &[], &[("A100-SXM4-40GB".to_owned(), Amount::ONE)]).is_ok());
}

#[test]
fn additions_are_a_profile_and_a_number() {
    assert_eq!("3g.20gb=5".parse(), Ok(Addition { profile: "3g.20gb".to_owned(), count: 5 }));
    for bad in ["3g.20gb", "3g.20gb=0", "=3", "3g.20gb=-1", "3g.20gb=x"] {
        assert!(bad.parse::<Addition>().is_err(), "{bad}");
    }
}

#[test]
fn rules_of_which_new_gpus_know_nothing_are_refused() {
    let with = |rules: &str, of: &str| {
        let text = format!(
            "name: load\nhosts: [{{name: h, labels: {{pool: a}}, max_disrupted: 1, gpus: {{board: A100-40GB, count: 2}}}}]\n{rules}\
             workloads:\n- {{name: v, profile: 1g.5gb, replicas: 2{of}}}\n"
        );
        let instance = Instance::from_yaml(&text).unwrap();
        cases(&instance, &[], &[]).map(|(_, cases)| cases.len())
    };
    assert_eq!(with("", ""), Ok(1));
    assert_eq!(with("groups: [{name: pod, as_one: true, together: node}]\n", ", group: pod"), Ok(1));
    for (rules, of, told) in [
        ("", ", node_selector: {pool: a}", "bound to nodes"),
        ("groups: [{name: spread, apart: node}]\n", ", group: spread", "group `spread`"),
        ("groups: [{name: gang, together: gpu}]\n", ", group: gang", "group `gang`"),
    ] {
        let Err(Unknown::Rule(error)) = with(rules, of) else { panic!("{rules}{of}") };
        assert!(error.message.contains(told) && error.message.contains("whatif"), "{error}");
    }
}
