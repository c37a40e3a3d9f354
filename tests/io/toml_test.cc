// Every kind of finding, with its exact text.
#include <cmath>

#include <gtest/gtest.h>

#include "cornet/io/format_error.h"
#include "cornet/io/toml/read_geometry.h"
#include "cornet/io/toml/suggestion.h"
#include "support/temporary_folder.h"

namespace cornet {
namespace {

// Reads a text called t.toml and returns everything that is wrong with it.
template <class Read>
std::string findingsOf(const std::string& text, const Read& read) {
  try {
    TomlFile file(SourceText("t.toml", text));
    TableReader root = file.root();
    read(root);
    file.check();
  } catch (const FindingsError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Toml, ReadsEveryKindOfValue) {
  TomlFile file(SourceText("t.toml", R"(on = true
count = 7
size = 2
mass = 1e3
name = "ball"
p = [1, 2.5, -3]
hinge_deg = 90
[inner]
key = 1
[[list]]
x = 1
[[list]]
x = 2
)"));
  TableReader root = file.root();
  EXPECT_TRUE(root.boolean("on"));
  EXPECT_EQ(root.integer("count"), 7);
  EXPECT_EQ(root.number("size"), 2.0);
  EXPECT_EQ(root.number("mass", Limits::positive()), 1000.0);
  EXPECT_EQ(root.number("absent", {}, 5.0), 5.0);
  EXPECT_EQ(root.string("name"), "ball");
  EXPECT_EQ(root.word("name", {"ball", "cube"}), "ball");
  EXPECT_EQ(root.vector3("p"), Vector3d(1, 2.5, -3));
  EXPECT_DOUBLE_EQ(root.angle("hinge"), std::acos(0.0));
  EXPECT_EQ(root.angle("other", 0.25), 0.25);
  EXPECT_EQ(root.table("inner").integer("key"), 1);
  EXPECT_FALSE(root.optionalTable("no"));
  int sum = 0;
  for (TableReader& entry : root.tables("list")) sum += entry.integer("x");
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(root.faults(), 0);
  file.check();
}

TEST(Toml, UnknownKeyNamesTheNearest) {
  EXPECT_EQ(findingsOf("[ball]\n  radus = 0.5\n",
                       [](TableReader& root) { root.table("ball").number("radius"); }),
            R"(t.toml:2:3: error: unknown key "radus" in [ball]
  2 |   radus = 0.5
    |   ^
help: did you mean "radius"?)");
}

TEST(Toml, UnknownKeyFarFromAllListsThem) {
  EXPECT_EQ(findingsOf("margin = 1\ncolour = 3\n",
                       [](TableReader& root) {
                         root.number("margin");
                         root.number("mass", {}, 1.0);
                       }),
            R"(t.toml:2:1: error: unknown key "colour" in the file
  2 | colour = 3
    | ^
help: known here: margin, mass)");
}

TEST(Toml, AnglesHaveTheirUnitInTheName) {
  EXPECT_EQ(findingsOf("angle = 3\n", [](TableReader& root) { root.angle("angle", 0.0); }),
            R"(t.toml:1:1: error: unknown key "angle" in the file
  1 | angle = 3
    | ^
help: did you mean "angle_deg"?)");
  EXPECT_EQ(findingsOf("angle_deg = 3\nangle_rad = 1\n", [](TableReader& root) { root.angle("angle"); }),
            R"(t.toml:2:13: error: angle_deg and angle_rad are both given
  2 | angle_rad = 1
    |             ^
help: keep one of them)");
}

TEST(Toml, MissingKey) {
  EXPECT_EQ(findingsOf("[ball]\n",
                       [](TableReader& root) { root.table("ball").number("radius", Limits::positive()); }),
            R"(t.toml:1:1: error: [ball] has no "radius"
  1 | [ball]
    | ^
help: add radius: a number > 0, such as radius = 0.5)");
  EXPECT_EQ(findingsOf("", [](TableReader& root) { root.table("ball").number("radius"); }),
            R"(t.toml:1:1: error: the file has no "ball"
  1 | 
    | ^
help: add ball: a table, [ball])");
}

TEST(Toml, WrongType) {
  EXPECT_EQ(findingsOf("radius = \"0.5\"\n", [](TableReader& root) { root.number("radius"); }),
            R"(t.toml:1:10: error: radius is a string
  1 | radius = "0.5"
    |          ^
help: expected a number, such as radius = 0.5)");
  EXPECT_EQ(findingsOf("n = 4.0\n", [](TableReader& root) { root.integer("n", Limits::between(4, 8)); }),
            R"(t.toml:1:5: error: n is a number
  1 | n = 4.0
    |     ^
help: expected an integer from 4 to 8)");
  EXPECT_EQ(findingsOf("on = 1\n", [](TableReader& root) { root.boolean("on"); }),
            R"(t.toml:1:6: error: on is an integer
  1 | on = 1
    |      ^
help: expected true or false, such as on = true)");
  EXPECT_EQ(findingsOf("name = 1979-05-27\n", [](TableReader& root) { root.string("name"); }),
            R"(t.toml:1:8: error: name is a date or time
  1 | name = 1979-05-27
    |        ^
help: expected a string, such as name = "name")");
  EXPECT_EQ(findingsOf("a = 3\nb = { x = 1 }\n",
                       [](TableReader& root) {
                         root.table("a");
                         root.tables("b");
                       }),
            R"(t.toml:1:5: error: a is an integer
  1 | a = 3
    |     ^
help: expected a table, [a]
t.toml:2:5: error: b is a table
  2 | b = { x = 1 }
    |     ^
help: expected tables, each under a line [[b]])");
}

TEST(Toml, NotFinite) {
  EXPECT_EQ(findingsOf("radius = nan\n", [](TableReader& root) { root.number("radius", Limits::positive()); }),
            R"(t.toml:1:10: error: radius = nan is not finite
  1 | radius = nan
    |          ^
help: expected a number > 0, such as radius = 0.5)");
}

TEST(Toml, OutOfRange) {
  EXPECT_EQ(findingsOf("radius = -1\n", [](TableReader& root) { root.number("radius", Limits::positive()); }),
            R"(t.toml:1:10: error: radius = -1 is out of range
  1 | radius = -1
    |          ^
help: expected a number > 0, such as radius = 0.5)");
  EXPECT_EQ(findingsOf("n = 99999999999\n", [](TableReader& root) { root.integer("n"); }),
            R"(t.toml:1:5: error: n = 99999999999 is out of range
  1 | n = 99999999999
    |     ^
help: expected an integer)");
}

TEST(Toml, WrongLengthAndWrongEntry) {
  EXPECT_EQ(findingsOf("p = [1, 2]\nq = [1, \"2\", 3]\n",
                       [](TableReader& root) {
                         root.vector3("p");
                         root.vector3("q", Limits::positive());
                       }),
            R"(t.toml:1:5: error: p has 2 entries
  1 | p = [1, 2]
    |     ^
help: expected 3 numbers, such as p = [0.1, 0.2, 0.3]
t.toml:2:9: error: entry 2 of q is a string
  2 | q = [1, "2", 3]
    |         ^
help: expected 3 numbers > 0, such as q = [0.1, 0.2, 0.3])");
}

TEST(Toml, UnknownWord) {
  const auto read = [](TableReader& root) { root.word("type", {"sphere", "box"}); };
  EXPECT_EQ(findingsOf("type = \"spehre\"\n", read),
            R"(t.toml:1:8: error: type = "spehre" is not known
  1 | type = "spehre"
    |        ^
help: did you mean "sphere"?)");
  EXPECT_EQ(findingsOf("type = \"tetrahedron\"\n", read),
            R"(t.toml:1:8: error: type = "tetrahedron" is not known
  1 | type = "tetrahedron"
    |        ^
help: expected one of "sphere", "box")");
}

TEST(Toml, WrongVersion) {
  EXPECT_EQ(findingsOf("version = 2\n", [](TableReader& root) { root.requireVersion(1); }),
            R"(t.toml:1:11: error: version = 2 is not known
  1 | version = 2
    |           ^
help: expected 1, the version this program reads)");
}

TEST(Toml, SyntaxErrorsReadTheSame) {
  EXPECT_EQ(findingsOf("a = 1\nb = \n", [](TableReader&) {}),
            R"(t.toml:2:5: error: key-value pair: expected value, saw the end of the line
  2 | b = 
    |     ^
help: the file is not TOML up to here; the language is described on toml.io)");
  EXPECT_EQ(findingsOf("a = 1\na = 2\n", [](TableReader&) {}),
            R"(t.toml:2:5: error: key-value pair: cannot redefine existing integer 'a'
  2 | a = 2
    |     ^
help: the file is not TOML up to here; the language is described on toml.io)");
}

// Each part is a table in the one before: too many would exhaust the stack of any reader.
TEST(Toml, EndlessKeysAreRefused) {
  std::string key = "a";
  for (int k = 0; k < 100000; ++k) key += ".a";
  for (const std::string& text : {key + " = 1\n", "[" + key + "]\n", "x = {" + key + " = 1}\n"}) {
    EXPECT_NE(findingsOf(text, [](TableReader&) {}).find("error: this key has more than 32 parts"),
              std::string::npos);
  }
  const std::string dots = "# " + std::string(100, '.') + "\nx = [" + std::string(400, ' ') + "0.5, 0.25, 0.125]\n";
  EXPECT_EQ(findingsOf(dots, [](TableReader& root) { root.vector3("x"); }), "nothing");
}

TEST(Toml, LettersBeyondAsciiStandInQuotesAndComments) {
  const auto read = [](TableReader& root) { root.string("name"); };
  EXPECT_EQ(findingsOf("# größer\nname = \"größer\"\n", read), "nothing");
  EXPECT_EQ(findingsOf("name = \"\"\"größer \\\n  und breiter\"\"\"\n", read), "nothing");
  EXPECT_EQ(findingsOf("\xef\xbb\xbfname = \"a\"\n", read), "nothing");
  EXPECT_EQ(findingsOf("größe = 1\n", read),
            R"(t.toml:1:3: error: a letter that keys and numbers do not have
  1 | größe = 1
    |   ^
help: put the text in quotes)");
  EXPECT_EQ(findingsOf("name = \"\"\"so \\\n  groß\"\"\"\n", read), "nothing");
  EXPECT_EQ(findingsOf("name = \"\"\"so \\\n  öde\"\"\"\n", read),
            R"(t.toml:2:3: error: this letter follows a backslash
  2 |   öde"""
    |   ^
help: begin the rest with a letter of ASCII, or leave out the backslash)");
}

// Tabs and characters of more than one byte before the column do not move the caret.
TEST(Toml, TheCaretStandsUnderTheValue) {
  EXPECT_EQ(findingsOf("\t\"höhe\" = true\r\n", [](TableReader& root) { root.number("höhe"); }),
            "t.toml:1:11: error: höhe is a boolean\n"
            "  1 | \t\"höhe\" = true\n"
            "    | \t         ^\n"
            "help: expected a number, such as höhe = 0.5");
}

TEST(Toml, FindingsComeTogetherInTheOrderOfTheFile) {
  try {
    TomlFile file(SourceText("t.toml", "b = 1\na = \"x\"\n[t]\nz = 1\n"));
    TableReader root = file.root();
    root.table("t").number("y");
    root.number("a");
    file.check();
    FAIL();
  } catch (const FindingsError& error) {
    std::vector<int> lines;
    for (const Finding& finding : error.findings()) lines.push_back(finding.place.line);
    EXPECT_EQ(lines, (std::vector<int>{1, 2, 4}));  // z is taken for y
  }
}

TEST(Toml, FilesThatCannotBeRead) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(TomlFile(folder / "missing.toml"), FileError);
  EXPECT_THROW(TomlFile(folder / "."), FileError);
}

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndExchanges) {
  EXPECT_EQ(calcEditDistance("radius", "radius"), 0);
  EXPECT_EQ(calcEditDistance("radus", "radius"), 1);
  EXPECT_EQ(calcEditDistance("raduis", "radius"), 1);
  EXPECT_EQ(calcEditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(calcEditDistance("", "abc"), 3);
}

// ---- poses

Matrix3d rotationOf(const std::string& text) {
  TomlFile file(SourceText("t.toml", text));
  TableReader root = file.root();
  const Matrix3d R = readRotation(root);
  file.check();
  return R;
}

TEST(TomlPose, OrientationsOfEveryForm) {
  const Matrix3d quarter = Eigen::AngleAxisd(std::acos(0.0), Vector3d::UnitZ()).toRotationMatrix();
  for (const char* text :
       {"quat_wxyz = [0.70710678118654752, 0, 0, 0.70710678118654752]", "rpy_deg = [0, 0, 90]",
        "rpy_rad = [0, 0, 1.5707963267948966]", "axis = [0, 0, 2]\nangle_deg = 90",
        "axis = [0, 0, 2]\nangle_rad = 1.5707963267948966",
        "rotation_matrix = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]"}) {
    EXPECT_LT((rotationOf(text) - quarter).norm(), 1e-15) << text;
  }
  EXPECT_EQ(rotationOf(""), Matrix3d::Identity());
  // Roll first, then pitch, then yaw, about fixed axes: x -> y by the yaw; z -> -y by the roll.
  const Matrix3d R = rotationOf("rpy_deg = [90, 0, 90]");
  EXPECT_LT((R * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_LT((R * Vector3d::UnitZ() - Vector3d::UnitX()).norm(), 1e-15);
}

TEST(TomlPose, QuaternionsNearlyOfLengthOneAreNormalised) {
  const Matrix3d R = rotationOf("quat_wxyz = [0.7071068, 0.7071068, 0, 0]");
  EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).norm(), 1e-15);
}

TEST(TomlPose, OtherQuaternionsAreRefusedWithTheirLengthAndTheFix) {
  const auto read = [](TableReader& root) { readRotation(root); };
  EXPECT_EQ(findingsOf("quat_wxyz = [2, 0, 0, 0]\n", read),
            R"(t.toml:1:13: error: quat_wxyz has length 2; a rotation has 1
  1 | quat_wxyz = [2, 0, 0, 0]
    |             ^
help: normalised: quat_wxyz = [1, 0, 0, 0])");
  EXPECT_EQ(findingsOf("quat_wxyz = [0, 0, 0, 0]\n", read),
            R"(t.toml:1:13: error: quat_wxyz has length 0; a rotation has 1
  1 | quat_wxyz = [0, 0, 0, 0]
    |             ^
help: no rotation: quat_wxyz = [1.0, 0.0, 0.0, 0.0])");
}

TEST(TomlPose, OrientationsThatAreNone) {
  const auto read = [](TableReader& root) { readRotation(root); };
  EXPECT_EQ(findingsOf("axis = [0, 0, 0]\nangle_deg = 5\n", read),
            R"(t.toml:1:8: error: axis = [0, 0, 0] has no direction
  1 | axis = [0, 0, 0]
    |        ^
help: a turn about z: axis = [0.0, 0.0, 1.0])");
  EXPECT_EQ(findingsOf("angle_deg = 5\n", read),
            R"(t.toml:1:1: error: the file has no "axis"
  1 | angle_deg = 5
    | ^
help: add axis: 3 numbers, such as axis = [0.1, 0.2, 0.3])");
  EXPECT_EQ(findingsOf("rpy_deg = [0, 0, 1]\nquat_wxyz = [1, 0, 0, 0]\n", read),
            R"(t.toml:1:11: error: the orientation is given by quat_wxyz and by rpy_deg
  1 | rpy_deg = [0, 0, 1]
    |           ^
help: keep one of them)");
  EXPECT_EQ(findingsOf("rotation_matrix = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]\n", read),
            R"(t.toml:1:19: error: rotation_matrix is no rotation
  1 | rotation_matrix = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]
    |                   ^
help: expected 3 rows of 3 numbers, orthogonal and of length 1, with determinant 1)");
}

// ---- shapes

Shape shapeOf(const std::string& text) {
  TomlFile file(SourceText("t.toml", text));
  TableReader root = file.root();
  Shape shape = readShape(root);
  file.check();
  return shape;
}

TEST(TomlShape, EveryShapeHasItsType) {
  std::vector<bool> seen(std::variant_size_v<Shape>, false);
  for (const char* text :
       {"type = \"sphere\"\nradius = 0.5", "type = \"box\"\nhalf_extents = [1, 2, 3]",
        "type = \"capsule\"\nradius = 0.5\nhalf_length = 1", "type = \"cylinder\"\nradius = 0.5\nhalf_length = 1",
        "type = \"cone\"\nradius = 0.5\nhalf_length = 1", "type = \"ellipsoid\"\nradii = [1, 2, 3]",
        "type = \"convex_hull\"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "type = \"half_space\"",
        "type = \"triangle_mesh\"\nvertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]",
        "type = \"height_field\"\nnx = 2\nny = 2\ndx = 1\nheights = [0, 0, 0, 0]",
        "type = \"bowl\"\nradius = 2"}) {
    seen[shapeOf(text).index()] = true;
  }
  EXPECT_EQ(seen, std::vector<bool>(seen.size(), true));
  EXPECT_EQ(std::get<Capsule>(shapeOf("type = \"capsule\"\nradius = 0.5\nhalf_length = 1")).half_length, 1.0);
  EXPECT_EQ(std::get<Box>(shapeOf("type = \"box\"\nhalf_extents = [1, 2, 3]")).half(), Vector3d(1, 2, 3));
}

TEST(TomlShape, WrongOnesAreFindings) {
  const auto read = [](TableReader& root) { readShape(root); };
  EXPECT_EQ(findingsOf("type = \"box\"\nhalf_extents = [1, 0, 3]\n", read),
            R"(t.toml:2:20: error: entry 2 of half_extents = 0 is out of range
  2 | half_extents = [1, 0, 3]
    |                    ^
help: expected 3 numbers > 0, such as half_extents = [0.1, 0.2, 0.3])");
  EXPECT_EQ(findingsOf("type = \"convex_hull\"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]\n", read),
            R"(t.toml:2:10: error: convex hull: the 4 points of the convex hull lie in one plane, or nearly so
  2 | points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    |          ^
help: expected at least 4 points that do not lie in one plane)");
  EXPECT_EQ(findingsOf("type = \"convex_hull\"\npoints = [[0, 0, 0], [1, 0]]\n", read),
            R"(t.toml:2:10: error: points has 2 entries
  2 | points = [[0, 0, 0], [1, 0]]
    |          ^
help: expected at least 4 points [x, y, z])");
  // Of what an unknown shape needs nothing is known.
  EXPECT_EQ(findingsOf("type = \"spher\"\nradius = 1\n", read),
            R"(t.toml:1:8: error: type = "spher" is not known
  1 | type = "spher"
    |        ^
help: did you mean "sphere"?)");
}

}  // namespace
}  // namespace cornet
