//! The software of generated virtual machines: ten operating systems and four categories of eight applications.
//!
//! The paper names these numbers and a few examples, but neither the software nor its pages (section 6.1.3). The sizes here, in
//! MiB, are this generator's own; all are even, so that pages of up to 2 MiB are whole.

use kit::{Choice, Choices};

/// A family of operating systems, which have pages in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OsFamily {
    /// Ubuntu.
    Ubuntu,
    /// CentOS and Fedora.
    RedHat,
    /// Windows.
    Windows,
}

impl OsFamily {
    /// Name in components.
    pub fn name(self) -> &'static str {
        match self {
            OsFamily::Ubuntu => "ubuntu",
            OsFamily::RedHat => "red-hat",
            OsFamily::Windows => "windows",
        }
    }

    /// What all systems of the family have in common.
    pub fn common_mib(self) -> u32 {
        match self {
            OsFamily::Ubuntu => 220,
            OsFamily::RedHat => 210,
            OsFamily::Windows => 420,
        }
    }
}

/// What systems of one family and use have in common beyond the family, where there are several of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edition {
    /// Name in components.
    pub name: &'static str,
    /// Size.
    pub mib: u32,
}

const UBUNTU_DESKTOP: Edition = Edition { name: "ubuntu-desktop", mib: 260 };
const WINDOWS_SERVER: Edition = Edition { name: "windows-server", mib: 300 };
const WINDOWS_DESKTOP: Edition = Edition { name: "windows-desktop", mib: 330 };

/// An operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatingSystem {
    /// Name in components.
    pub name: &'static str,
    /// Family.
    pub family: OsFamily,
    /// Whether it is for servers, not for desktops.
    pub is_server: bool,
    /// Its edition, if another system has the same.
    pub edition: Option<Edition>,
    /// What no other system has.
    pub own_mib: u32,
}

impl OperatingSystem {
    /// All of it.
    pub fn mib(&self) -> u32 {
        self.own_mib + self.family.common_mib() + self.edition.map_or(0, |edition| edition.mib)
    }
}

const fn server(
    name: &'static str,
    family: OsFamily,
    edition: Option<Edition>,
    own_mib: u32,
) -> OperatingSystem {
    OperatingSystem { name, family, is_server: true, edition, own_mib }
}

const fn desktop(
    name: &'static str,
    family: OsFamily,
    edition: Option<Edition>,
    own_mib: u32,
) -> OperatingSystem {
    OperatingSystem { name, family, is_server: false, edition, own_mib }
}

/// All operating systems.
pub const OPERATING_SYSTEMS: [OperatingSystem; 10] = [
    server("ubuntu-server-14.04", OsFamily::Ubuntu, None, 180),
    server("centos-7", OsFamily::RedHat, None, 190),
    server("windows-server-2008-r2", OsFamily::Windows, Some(WINDOWS_SERVER), 560),
    server("windows-server-2012-r2", OsFamily::Windows, Some(WINDOWS_SERVER), 620),
    desktop("ubuntu-14.04", OsFamily::Ubuntu, Some(UBUNTU_DESKTOP), 280),
    desktop("ubuntu-15.04", OsFamily::Ubuntu, Some(UBUNTU_DESKTOP), 300),
    desktop("fedora-22", OsFamily::RedHat, None, 340),
    desktop("windows-7", OsFamily::Windows, Some(WINDOWS_DESKTOP), 520),
    desktop("windows-8.1", OsFamily::Windows, Some(WINDOWS_DESKTOP), 560),
    desktop("windows-10", OsFamily::Windows, Some(WINDOWS_DESKTOP), 600),
];

/// A category of applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    /// Name in components.
    pub name: &'static str,
    /// Libraries that all applications of the category bring.
    pub runtime_mib: u32,
    /// Applications, each with the size of all of it, the runtime included.
    pub applications: [(&'static str, u32); 8],
}

/// All categories: content management, databases, developer tools, infrastructure.
pub static CATEGORIES: [Category; 4] = [
    Category {
        name: "cms",
        runtime_mib: 90,
        applications: [
            ("drupal", 210),
            ("ghost", 160),
            ("joomla", 190),
            ("magento", 340),
            ("mediawiki", 200),
            ("moodle", 260),
            ("typo3", 230),
            ("wordpress", 180),
        ],
    },
    Category {
        name: "db",
        runtime_mib: 40,
        applications: [
            ("cassandra", 600),
            ("couchdb", 260),
            ("mariadb", 360),
            ("mongodb", 420),
            ("mysql", 380),
            ("neo4j", 520),
            ("postgresql", 350),
            ("redis", 120),
        ],
    },
    Category {
        name: "dev",
        runtime_mib: 120,
        applications: [
            ("bugzilla", 220),
            ("gitlab", 560),
            ("jenkins", 440),
            ("phabricator", 320),
            ("redmine", 300),
            ("sonarqube", 540),
            ("subversion", 150),
            ("trac", 180),
        ],
    },
    Category {
        name: "infra",
        runtime_mib: 60,
        applications: [
            ("haproxy", 80),
            ("memcached", 110),
            ("nginx", 100),
            ("puppet", 310),
            ("rabbitmq", 240),
            ("tomcat", 330),
            ("varnish", 130),
            ("zookeeper", 280),
        ],
    },
];

/// An application of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Application {
    /// Category.
    pub category: &'static Category,
    /// Name.
    pub name: &'static str,
    /// All of it.
    pub mib: u32,
}

/// All applications, category by category.
pub fn applications() -> Vec<Application> {
    let of = |category: &'static Category| {
        category.applications.iter().map(move |&(name, mib)| Application { category, name, mib })
    };
    CATEGORIES.iter().flat_map(of).collect()
}

/// Which pages of the software count as common to several virtual machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Nothing: every page is private.
    None,
    /// Those of the same operating system and of the same application.
    Os,
    /// In addition those that the operating systems of a family have in common.
    Lean,
    /// In addition those of the server or desktop edition of a family, and the runtime of a category of applications.
    Rich,
}

impl Choices for Detail {
    const ALL: &'static [Choice<Detail>] = &[
        Choice { name: "none", help: "every page is private", value: Detail::None },
        Choice {
            name: "os",
            help: "those of the same operating system and of the same application",
            value: Detail::Os,
        },
        Choice {
            name: "lean",
            help: "in addition those that the operating systems of a family have in common",
            value: Detail::Lean,
        },
        Choice {
            name: "rich",
            help: "in addition those of the server or desktop edition of a family, and the runtime of a category of applications",
            value: Detail::Rich,
        },
    ];
}

/// What runs in a virtual machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Software {
    /// The operating system.
    pub system: OperatingSystem,
    /// One to four different applications.
    pub applications: Vec<Application>,
}

impl Software {
    /// Its size when nothing is shared within the virtual machine: an upper bound on what its components have at any detail.
    pub fn mib(&self) -> u32 {
        self.system.mib() + self.applications.iter().map(|application| application.mib).sum::<u32>()
    }

    /// Its components at a detail, each once, with their sizes in MiB.
    pub fn components(&self, detail: Detail) -> Vec<(String, u32)> {
        let Software { system, applications } = self;
        let mut components = Vec::new();
        let edition = system.edition.filter(|_| detail == Detail::Rich);
        let family = matches!(detail, Detail::Lean | Detail::Rich).then_some(system.family);
        let elsewhere = edition.map_or(0, |edition| edition.mib) + family.map_or(0, OsFamily::common_mib);
        match detail {
            Detail::None => return components,
            _ => components.push((format!("os:{}", system.name), system.mib() - elsewhere)),
        }
        components.extend(edition.map(|edition| (format!("edition:{}", edition.name), edition.mib)));
        components.extend(family.map(|family| (format!("family:{}", family.name()), family.common_mib())));
        for &Application { category, name, mib } in applications {
            let runtime = if detail == Detail::Rich { category.runtime_mib } else { 0 };
            components.push((format!("app:{}-{name}", category.name), mib - runtime));
            let shared = (format!("runtime:{}", category.name), runtime);
            if runtime > 0 && !components.contains(&shared) {
                components.push(shared);
            }
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_the_numbers_of_the_paper() {
        assert_eq!(OPERATING_SYSTEMS.iter().filter(|system| system.is_server).count(), 4);
        assert_eq!(OPERATING_SYSTEMS.iter().filter(|system| !system.is_server).count(), 6);
        assert_eq!(applications().len(), 32);
        for application in applications() {
            assert!(application.mib > application.category.runtime_mib, "{}", application.name);
            assert!(application.mib % 2 == 0 && application.category.runtime_mib % 2 == 0);
        }
        assert!(OPERATING_SYSTEMS.iter().all(|system| system.own_mib % 2 == 0));
    }

    /// More detail splits components but neither adds nor hides software.
    #[test]
    fn details_divide_the_same_software() {
        let all = applications();
        for system in OPERATING_SYSTEMS {
            let software = Software { system, applications: vec![all[0], all[1], all[8]] };
            let size = |detail| software.components(detail).iter().map(|(_, mib)| mib).sum::<u32>();
            assert_eq!(size(Detail::None), 0);
            assert_eq!(size(Detail::Os), software.mib());
            assert_eq!(size(Detail::Lean), software.mib());
            // Two of the applications are of one category, whose runtime they have once.
            assert_eq!(size(Detail::Rich) + all[0].category.runtime_mib, software.mib());
        }
    }
}
