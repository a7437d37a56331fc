/* rdkit.cc - RDKit behind plugin.h: the only C++ of midpool, a module of its own.
 *
 * No exception leaves it. What RDKit would print on stderr becomes the reason of the molecule that it is about.
 * SPDX-License-Identifier: MIT */
#include "chem/plugin.h"

#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/Depictor/RDDepictor.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/ROMol.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <RDGeneral/RDLog.h>
#include <RDGeneral/versions.h>

#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using RDKit::Atom;
using RDKit::Bond;
using RDKit::ROMol;

struct Answer { // of the last call of a thread
    std::vector<int> atom, from, to, bond;
    std::vector<std::string> name;
    std::vector<const char *> symbol;
    std::vector<float> place;
    std::string canonical, scaffold, why;
};
thread_local Answer mine;
thread_local std::string logged; // of this thread, since its last call began

// RDKit's log of errors. Without room of its own every byte goes straight to the thread that wrote it.
class Ear : public std::streambuf
{
    int_type overflow(int_type ch) override
    {
        if (ch != traits_type::eof()) logged += static_cast<char>(ch);
        return ch;
    }
    std::streamsize xsputn(const char *p, std::streamsize n) override
    {
        logged.append(p, static_cast<size_t>(n));
        return n;
    }
};

// Place of a value in the benchmark's lists; what is not there has the last one.
int place_in(int value, int first, int count)
{
    return value >= first && value < first + count ? value - first : count;
}

int chirality(const Atom &a)
{
    switch (a.getChiralTag()) {
    case Atom::CHI_UNSPECIFIED:
        return 0;
    case Atom::CHI_TETRAHEDRAL_CW:
        return 1;
    case Atom::CHI_TETRAHEDRAL_CCW:
        return 2;
    case Atom::CHI_OTHER:
        return 3;
    default:
        return 4;
    }
}

int hybridisation(const Atom &a)
{
    switch (a.getHybridization()) {
    case Atom::SP:
        return 0;
    case Atom::SP2:
        return 1;
    case Atom::SP3:
        return 2;
    case Atom::SP3D:
        return 3;
    case Atom::SP3D2:
        return 4;
    default:
        return 5;
    }
}

int bond_type(const Bond &b)
{
    switch (b.getBondType()) {
    case Bond::SINGLE:
        return 0;
    case Bond::DOUBLE:
        return 1;
    case Bond::TRIPLE:
        return 2;
    case Bond::AROMATIC:
        return 3;
    default:
        return 4;
    }
}

int bond_stereo(const Bond &b)
{
    switch (b.getStereo()) {
    case Bond::STEREONONE:
        return 0;
    case Bond::STEREOZ:
        return 1;
    case Bond::STEREOE:
        return 2;
    case Bond::STEREOCIS:
        return 3;
    case Bond::STEREOTRANS:
        return 4;
    default:
        return 5; // STEREOANY
    }
}

void put_graph(const ROMol &m)
{
    const RDKit::RingInfo *rings = m.getRingInfo();
    mine.atom.clear(), mine.from.clear(), mine.to.clear(), mine.bond.clear();
    for (const Atom *a : m.atoms())
        mine.atom.insert(mine.atom.end(),
                         { place_in(a->getAtomicNum(), 1, 118), chirality(*a),
                           place_in(static_cast<int>(a->getTotalDegree()), 0, 11),
                           place_in(a->getFormalCharge(), -5, 11), place_in(static_cast<int>(a->getTotalNumHs()), 0, 9),
                           place_in(static_cast<int>(a->getNumRadicalElectrons()), 0, 5), hybridisation(*a),
                           a->getIsAromatic() ? 1 : 0, rings->numAtomRings(a->getIdx()) ? 1 : 0 });
    for (const Bond *b : m.bonds()) {
        mine.from.push_back(static_cast<int>(b->getBeginAtomIdx()));
        mine.to.push_back(static_cast<int>(b->getEndAtomIdx()));
        mine.bond.insert(mine.bond.end(), { bond_type(*b), bond_stereo(*b), b->getIsConjugated() ? 1 : 0 });
    }
}

void put_symbols(const ROMol &m)
{
    mine.name.clear(), mine.symbol.clear();
    for (const Atom *a : m.atoms()) mine.name.push_back(a->getSymbol());
    for (const std::string &s : mine.name) mine.symbol.push_back(s.c_str());
}

void put_places(ROMol &m)
{
    RDDepict::compute2DCoords(m, nullptr, true);
    mine.place.clear();
    for (const RDGeom::Point3D &p : m.getConformer().getPositions())
        mine.place.insert(mine.place.end(), { static_cast<float>(p.x), static_cast<float>(p.y) });
}

// Rings and what joins them. Properties that were computed for the whole molecule do not hold for it.
std::string scaffold_of(const ROMol &m)
{
    std::unique_ptr<ROMol> s(RDKit::MurckoDecompose(m));
    s->clearComputedProps();
    s->updatePropertyCache(false);
    RDKit::MolOps::symmetrizeSSSR(*s);
    return RDKit::MolToSmiles(*s, true);
}

// RDKit's words as one line, without the time before each of its own: the same molecule has the same message.
void blame(const char *what)
{
    std::istringstream lines(logged.empty() ? what : logged);
    mine.why.clear();
    for (std::string line; std::getline(lines, line);) {
        if (line.size() > 11 && line[0] == '[' && line[9] == ']') line.erase(0, 11);
        while (!line.empty() && line.back() == ' ') line.pop_back();
        if (!line.empty()) mine.why += (mine.why.empty() ? "" : "; ") + line;
    }
    if (mine.why.empty()) mine.why = "RDKit cannot read the SMILES";
}

bool read_molecule(const std::string &smiles, unsigned wanted, mp_molecule *out)
{
    RDKit::SmilesParserParams params;
    params.parseName = false;
    params.allowCXSMILES = false;
    std::unique_ptr<RDKit::RWMol> m(RDKit::SmilesToMol(smiles, params));
    if (!m) return false;
    put_graph(*m);
    *out = mp_molecule{};
    out->atoms = static_cast<int>(m->getNumAtoms());
    out->bonds = static_cast<int>(m->getNumBonds());
    out->atom = mine.atom.data();
    out->from = mine.from.data();
    out->to = mine.to.data();
    out->bond = mine.bond.data();
    if (wanted & MP_MOLECULE_SYMBOLS) put_symbols(*m), out->symbol = mine.symbol.data();
    if (wanted & MP_MOLECULE_CANONICAL)
        mine.canonical = RDKit::MolToSmiles(*m), out->canonical = mine.canonical.c_str();
    if (wanted & MP_MOLECULE_SCAFFOLD) mine.scaffold = scaffold_of(*m), out->scaffold = mine.scaffold.c_str();
    if (wanted & MP_MOLECULE_PLACES) put_places(*m), out->place = mine.place.data();
    return true;
}

mp_chem_end read(const char *smiles, size_t n, unsigned wanted, mp_molecule *out, const char **why)
{
    try {
        logged.clear();
        try {
            if (read_molecule(std::string(smiles, n), wanted, out)) return MP_CHEM_READ;
            blame("");
        } catch (const std::bad_alloc &) {
            return MP_CHEM_NO_MEMORY;
        } catch (const std::exception &e) {
            blame(e.what());
        }
        *why = mine.why.c_str();
        return MP_CHEM_REFUSED;
    } catch (...) { // the message itself found no room
        return MP_CHEM_NO_MEMORY;
    }
}

// Before the first molecule: only errors are kept. RDKit says nothing where a log is not there.
bool listen()
{
    static Ear ear;
    static std::ostream stream(&ear);
    rdErrorLog = std::make_shared<boost::logging::rdLogger>(&stream);
    return true;
}
const bool listens = listen();

const std::string made = std::string("RDKit ") + RDKit::rdkitVersion;

} // namespace

extern "C" __attribute__((visibility("default"))) const mp_chem_table mp_chem_plugin;
const mp_chem_table mp_chem_plugin = { MP_CHEM_ABI, made.c_str(), read };
